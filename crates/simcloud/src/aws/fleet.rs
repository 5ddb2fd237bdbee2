//! Big worlds for speed and volume tests, made instead of written.

use reaper_model::Span;

use crate::aws::instance::{Instance, Volume};
use crate::aws::world::{AwsWorld, AwsWorldError};
use crate::clock::When;

impl AwsWorld {
    /// Adds `count` running `g5.xlarge` machines with four tags and one volume each, every one
    /// passed through `change` (with its number, from 0) first. The ids are the same each time,
    /// and differ between accounts and regions.
    ///
    /// ```
    /// use reaper_simcloud::aws::{Account, AwsWorld};
    ///
    /// let mut aws = AwsWorld::default();
    /// aws.add_account(Account::new("111122223333", "AKIAEXAMPLE"))?;
    /// aws.fleet("111122223333", "eu-west-1", 100, |number, machine| match number {
    ///     0 => machine.tag("reaper-keep", "true"),
    ///     _ => machine,
    /// })?;
    /// assert_eq!(aws.instances().count(), 100);
    /// # Ok::<(), reaper_simcloud::aws::AwsWorldError>(())
    /// ```
    pub fn fleet(
        &mut self,
        account: &str,
        region: &str,
        count: usize,
        change: impl Fn(usize, Instance) -> Instance,
    ) -> Result<(), AwsWorldError> {
        let salt = checksum(account, region);
        for number in 0..count {
            let id = format!("{salt:08x}{number:09x}");
            let mut machine = Instance::new(account, region, &format!("i-{id}"), "g5.xlarge")
                .launched(When::ago(Span::from_secs(3_600 * (1 + number as u64 % 2_000))))
                .tag("Name", &format!("worker-{number}"))
                .tag("owner", "alice")
                .tag("project", "atlas")
                .tag("cost-center", "4711");
            let volume = Volume::new(&format!("vol-{id}"));
            machine.volumes.push(Volume { delete_on_termination: true, ..volume });
            self.add_instance(change(number, machine))?;
        }
        Ok(())
    }
}

/// FNV-1a: small, and the same on every machine.
fn checksum(account: &str, region: &str) -> u32 {
    account
        .bytes()
        .chain([b'/'])
        .chain(region.bytes())
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
