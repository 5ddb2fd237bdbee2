//! Spend: hours and money, exactly, with the providers' rounding rules
