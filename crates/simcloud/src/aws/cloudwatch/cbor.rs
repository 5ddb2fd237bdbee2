//! CBOR: requests into the values of JSON, answers out of [`Node`]s. Times carry the tag for seconds
//! since 1970; in a request only their number is left.

use std::convert::Infallible;

use minicbor::data::{IanaTag, Type};
use minicbor::{Decoder, Encoder, decode, encode};
use serde_json::{Map, Number, Value};

use super::speech::Node;

/// One whole body.
pub(super) fn read(body: &[u8]) -> Result<Value, decode::Error> {
    let mut decoder = Decoder::new(body);
    let value = value(&mut decoder)?;
    if decoder.position() == body.len() {
        Ok(value)
    } else {
        Err(decode::Error::message("more than one item").at(decoder.position()))
    }
}

fn value(decoder: &mut Decoder<'_>) -> Result<Value, decode::Error> {
    Ok(match decoder.datatype()? {
        Type::Null | Type::Undefined => {
            decoder.skip()?;
            Value::Null
        }
        Type::Bool => decoder.bool()?.into(),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => decoder.u64()?.into(),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => decoder.i64()?.into(),
        Type::F16 | Type::F32 | Type::F64 => {
            Number::from_f64(decoder.f64()?).map_or(Value::Null, Value::Number)
        }
        Type::String | Type::StringIndef => Value::String(text(decoder)?),
        Type::Array | Type::ArrayIndef => {
            let mut left = decoder.array()?;
            let mut items = Vec::new();
            while more(decoder, &mut left)? {
                items.push(value(decoder)?);
            }
            Value::Array(items)
        }
        Type::Map | Type::MapIndef => {
            let mut left = decoder.map()?;
            let mut members = Map::new();
            while more(decoder, &mut left)? {
                let key = text(decoder)?;
                members.insert(key, value(decoder)?);
            }
            Value::Object(members)
        }
        Type::Tag => {
            decoder.tag()?;
            value(decoder)?
        }
        other => return Err(decode::Error::type_mismatch(other).at(decoder.position())),
    })
}

fn text(decoder: &mut Decoder<'_>) -> Result<String, decode::Error> {
    decoder.str_iter()?.collect()
}

/// Whether one more item follows; takes the mark at the end of a list without a length.
fn more(decoder: &mut Decoder<'_>, left: &mut Option<u64>) -> Result<bool, decode::Error> {
    match left {
        Some(0) => Ok(false),
        Some(left) => {
            *left -= 1;
            Ok(true)
        }
        None if decoder.datatype()? == Type::Break => decoder.skip().map(|()| false),
        None => Ok(true),
    }
}

/// One whole body.
pub(super) fn written(node: &Node) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new());
    // Writing to memory cannot fail.
    let _: Result<(), encode::Error<Infallible>> = write(&mut encoder, node);
    encoder.into_writer()
}

fn write(encoder: &mut Encoder<Vec<u8>>, node: &Node) -> Result<(), encode::Error<Infallible>> {
    match node {
        Node::Text(text) => encoder.str(text)?.ok(),
        Node::Number(number) => encoder.f64(*number)?.ok(),
        Node::Time(time) => encoder.tag(IanaTag::Timestamp)?.i64(time.timestamp())?.ok(),
        Node::List(items) => {
            encoder.array(items.len() as u64)?;
            items.iter().try_for_each(|item| write(encoder, item))
        }
        Node::Map(members) => {
            encoder.map(members.len() as u64)?;
            members.iter().try_for_each(|(key, member)| {
                encoder.str(key)?;
                write(encoder, member)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn maps_lists_times_and_texts_are_read_with_and_without_a_length() {
        // {"a": [1, -2, 1.5], "t": 1(1700000000), "n": null, "b": true}, from RFC 8949's tables.
        let known =
            b"\xa4\x61a\x83\x01\x21\xf9\x3e\x00\x61t\xc1\x1a\x65\x53\xf1\x00\x61n\xf6\x61b\xf5";
        let endless =
            b"\xbf\x61a\x9f\x01\x21\xf9\x3e\x00\xff\x7f\x61t\xff\xc1\xfb\x41\xd9\x54\xfc\x40\
              \x00\x00\x00\x61n\xf7\x61b\xf5\xff";
        let expected = json!({"a": [1, -2, 1.5], "t": 1_700_000_000, "n": null, "b": true});
        assert_eq!(read(known).expect("CBOR"), expected);
        let mut expected = expected;
        expected["t"] = json!(1_700_000_000.0);
        assert_eq!(read(endless).expect("CBOR"), expected);
    }

    #[test]
    fn what_is_cut_or_goes_on_is_no_body() {
        for broken in [&b""[..], b"\xa1\x61a", b"\x9f\x01", b"\x01\x01", b"\x62a"] {
            assert!(read(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let time = chrono::DateTime::from_timestamp(1_700_000_000, 0).expect("a time");
        let node = Node::Map(vec![
            ("Text", Node::Text("größe".into())),
            ("List", Node::List(vec![Node::Number(0.0), Node::Time(time)])),
        ]);
        let expected = json!({"Text": "größe", "List": [0.0, 1_700_000_000]});
        assert_eq!(read(&written(&node)).expect("CBOR"), expected);
    }
}
