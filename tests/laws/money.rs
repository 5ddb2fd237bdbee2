//! Laws of prices: in the provider's currency, above zero, and unknown where they are not known.

use reaper_model::Fact;
use rust_decimal::Decimal;

use crate::rig::{Machine, Oddity, Rig};
use crate::stage::Stage;

/// A machine of a known type has a price above zero, in the provider's currency, of some day.
pub(crate) async fn known_type(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::plain(0)]).await;
    let provider = stage.open();
    let reading = stage.list_with(&*provider).await.whole();
    let price = provider.price(&reading.machines[0]);
    let price = price.value().expect("a price");
    assert_eq!(price.money.currency, rig.currency());
    assert!(price.money.amount > Decimal::ZERO);
    assert!(price.as_of <= stage.context().now.date_naive());
    let hourly = price.hourly().amount;
    assert!(hourly > Decimal::new(1, 1) && hourly < Decimal::from(10), "per hour: {hourly}");
    assert!(price.per_month().amount > hourly * Decimal::from(600), "{price:?}");
}

/// A type that nobody knows is listed, and its price is unknown, neither zero nor absent.
pub(crate) async fn new_type(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::odd(0, Oddity::NewType), Machine::plain(1)]).await;
    let provider = stage.open();
    let reading = stage.list_with(&*provider).await.whole();
    let machine = reading.machine(&rig.id(0));
    assert!(!machine.machine_type.as_str().is_empty());
    assert!(machine.gpu.gap().is_some(), "{:?}", machine.gpu);
    assert!(matches!(provider.price(machine), Fact::Unknown(_)));
    assert!(provider.price(reading.machine(&rig.id(1))).value().is_some());
}
