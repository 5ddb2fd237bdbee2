//! Currency codes in use (ISO 4217, active national currencies), so that `ERU` does not silently
//! become a currency of its own with a subtotal of its own.

use std::ops::Range;

use reaper_model::Currency;

use crate::context::Context;
use crate::keys::nearest;

const CODES: &str = "\
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF \
CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ \
GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP \
LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR \
PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP \
SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER \
ZAR ZMW ZWG";

/// Reads a code, and refuses one that nobody uses.
pub(crate) fn read(cx: &mut Context<'_>, text: &str, span: Range<usize>) -> Option<Currency> {
    match text.parse::<Currency>() {
        Ok(currency) => known(cx, currency, span).then_some(currency),
        Err(error) => {
            cx.refuse(span, error.to_string(), None);
            None
        }
    }
}

/// Whether the code is in use; refused if not.
pub(crate) fn known(cx: &mut Context<'_>, currency: Currency, span: Range<usize>) -> bool {
    let code = currency.as_str();
    let known = CODES.split(' ').any(|candidate| candidate == code);
    if !known {
        let advice =
            nearest(code, CODES.split(' ').filter(|other| matches!(*other, "EUR" | "USD")))
                .or_else(|| nearest(code, CODES.split(' ')))
                .map(|near| format!("did you mean `{near}`?"));
        cx.refuse(span, format!("`{code}` is not a currency in use"), advice);
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_one_and_they_are_in_order() {
        let codes: Vec<&str> = CODES.split(' ').collect();
        assert!(codes.is_sorted());
        assert!(codes.iter().all(|code| code.parse::<Currency>().is_ok()));
    }
}
