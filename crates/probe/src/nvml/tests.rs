//! A stand-in for a driver: cards with answers of their own.

use super::*;
use crate::reading::Values;

/// What one card answers.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub(crate) uuid: Answer<String>,
    pub(crate) mig: Answer<bool>,
    pub(crate) samples: Answer<Vec<(u64, f64)>>,
    pub(crate) utilisation: Answer<u32>,
    pub(crate) engine: Answer<Option<f64>>,
    pub(crate) power: Answer<u32>,
    pub(crate) limit: Answer<u32>,
    pub(crate) memory: Answer<(u64, u64)>,
    pub(crate) computing: Answer<Vec<u32>>,
    pub(crate) drawing: Answer<Vec<u32>>,
}

impl Card {
    /// An A10 at rest, as its driver tells it.
    pub(crate) fn idle(uuid: &str) -> Self {
        Self {
            uuid: Ok(uuid.to_owned()),
            mig: Err(Refusal::NotOffered),
            samples: Ok(Vec::new()),
            utilisation: Ok(0),
            engine: Err(Refusal::NotOffered),
            power: Ok(15_000),
            limit: Ok(150_000),
            memory: Ok((9 << 20, 24 << 30)),
            computing: Ok(Vec::new()),
            drawing: Ok(Vec::new()),
        }
    }

    /// One that has fallen off its bus.
    pub(crate) fn lost() -> Self {
        fn no<T>() -> Answer<T> {
            Err(Refusal::Failed("the GPU has fallen off the bus".to_owned()))
        }
        Self {
            uuid: no(),
            mig: no(),
            samples: no(),
            utilisation: no(),
            engine: no(),
            power: no(),
            limit: no(),
            memory: no(),
            computing: no(),
            drawing: no(),
        }
    }
}

/// Cards that answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cards {
    pub(crate) there: Vec<Card>,
    /// Why it does not even count them.
    pub(crate) refuses: Option<String>,
    /// How long it takes to count them.
    pub(crate) hangs: std::time::Duration,
}

impl Cards {
    pub(crate) fn of(cards: Vec<Card>) -> Self {
        Self { there: cards, ..Self::default() }
    }

    fn card(&self, gpu: u32) -> &Card {
        &self.there[usize::try_from(gpu).expect("small")]
    }
}

impl Driver for Cards {
    fn count(&mut self) -> Answer<u32> {
        std::thread::sleep(self.hangs);
        match &self.refuses {
            Some(why) => Err(Refusal::Failed(why.clone())),
            None => Ok(u32::try_from(self.there.len()).expect("few")),
        }
    }
    fn uuid(&mut self, gpu: u32) -> Answer<String> {
        self.card(gpu).uuid.clone()
    }
    fn model(&mut self, _: u32) -> Answer<String> {
        Ok("NVIDIA A10".to_owned())
    }
    fn mig(&mut self, gpu: u32) -> Answer<bool> {
        self.card(gpu).mig.clone()
    }
    fn utilisation_since(&mut self, gpu: u32, _: u64) -> Answer<Vec<(u64, f64)>> {
        self.card(gpu).samples.clone()
    }
    fn utilisation(&mut self, gpu: u32) -> Answer<u32> {
        self.card(gpu).utilisation.clone()
    }
    fn engine(&mut self, gpu: u32, slice: Option<u32>) -> Answer<Option<f64>> {
        let active = self.card(gpu).engine.clone()?;
        Ok(active.map(|active| active + f64::from(slice.unwrap_or(0))))
    }
    fn power(&mut self, gpu: u32) -> Answer<u32> {
        self.card(gpu).power.clone()
    }
    fn power_limit(&mut self, gpu: u32) -> Answer<u32> {
        self.card(gpu).limit.clone()
    }
    fn memory(&mut self, gpu: u32) -> Answer<(u64, u64)> {
        self.card(gpu).memory.clone()
    }
    fn computing(&mut self, gpu: u32) -> Answer<Vec<u32>> {
        self.card(gpu).computing.clone()
    }
    fn drawing(&mut self, gpu: u32) -> Answer<Vec<u32>> {
        self.card(gpu).drawing.clone()
    }
    fn program(&mut self, process: u32) -> Answer<String> {
        match process {
            1 => Ok("/usr/lib/xorg/Xorg".to_owned()),
            2 => Ok("/usr/bin/blender".to_owned()),
            _ => Err(Refusal::Failed("insufficient permissions".to_owned())),
        }
    }
}

fn read(cards: Vec<Card>) -> Gpus {
    Nvml::new(Cards::of(cards)).read().expect("cards")
}

fn one(card: Card) -> Values {
    read(vec![card]).gpus.remove(0).values
}

#[test]
fn a_card_at_rest_is_read_whole() {
    let gpus = read(vec![Card::idle("GPU-1")]);
    assert_eq!(gpus.troubles, Vec::<String>::new());
    assert_eq!(
        gpus.gpus[0].values,
        Values {
            utilisation: Some(Level::of(0.0)),
            engine: None,
            power: Some(Level::of(10.0)),
            memory_used: Some(9 << 20),
            memory_total: Some(24 << 30),
            processes: Some(0),
        }
    );
}

#[test]
fn what_the_driver_sampled_between_two_looks_is_seen() {
    let mut card = Card::idle("GPU-1");
    card.samples = Ok(vec![(10, 0.0), (20, 90.0), (30, 0.0)]);
    let mut nvml = Nvml::new(Cards::of(vec![card]));
    let first = nvml.read().expect("a card").gpus.remove(0).values.utilisation;
    assert_eq!(first, Some(Level { peak: 90.0, mean: 30.0 }), "the moment alone would be 0");
    let second = nvml.read().expect("a card").gpus.remove(0).values.utilisation;
    assert_eq!(second, Some(Level::of(0.0)), "what was seen does not count twice");
}

#[test]
fn fl_097_what_is_not_offered_is_not_zero_and_no_trouble() {
    let mut card = Card::idle("GPU-1");
    card.utilisation = Err(Refusal::NotOffered);
    card.samples = Err(Refusal::NotOffered);
    card.power = Err(Refusal::NotOffered);
    card.memory = Err(Refusal::NotOffered);
    card.computing = Err(Refusal::NotOffered);
    let gpus = read(vec![card]);
    assert_eq!(gpus.gpus[0].values, Values::default());
    assert_eq!(gpus.troubles, Vec::<String>::new());
}

#[test]
fn a_card_that_is_lost_says_so_and_spoils_no_other() {
    let gpus = read(vec![Card::lost(), Card::idle("GPU-1")]);
    assert_eq!(gpus.gpus[0].values, Values::default());
    assert_eq!(gpus.gpus[1].values.utilisation, Some(Level::of(0.0)));
    assert_eq!(gpus.troubles, ["GPU 0: the GPU has fallen off the bus"], "once, not eight times");
}

#[test]
fn a_display_is_no_work_and_an_unknown_program_may_be() {
    let with = |computing: &[u32], drawing: Answer<Vec<u32>>| {
        let mut card = Card::idle("GPU-1");
        card.computing = Ok(computing.to_vec());
        card.drawing = drawing;
        one(card).processes
    };
    assert_eq!(with(&[], Ok(vec![1])), Some(0));
    assert_eq!(with(&[], Ok(vec![1, 2, 3])), Some(2));
    assert_eq!(with(&[7, 8], Ok(vec![7])), Some(2), "one process that does both");
    assert_eq!(with(&[7], Err(Refusal::NotOffered)), Some(1));
    assert_eq!(with(&[7], Err(Refusal::Failed("unknown".to_owned()))), None);
}

#[test]
fn a_limit_of_nothing_is_no_limit() {
    let mut card = Card::idle("GPU-1");
    card.limit = Ok(0);
    assert_eq!(one(card).power, None);
}

#[test]
fn without_a_count_nothing_is_read() {
    let refused =
        Cards { refuses: Some("driver/library version mismatch".to_owned()), ..Cards::default() };
    let why = Nvml::new(refused).read().expect_err("nothing");
    assert_eq!(why, "NVML: driver/library version mismatch");
}
