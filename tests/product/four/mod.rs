//! All four clouds together: one audit, their own variables and files, their secrets.

mod audit;
mod credentials;
mod secrets;

use crate::support::{ACCOUNT, Cloud, LAMBDA, NOW, OVHCLOUD, PROJECT, Reaper, SCALEWAY, Sim};

/// AWS as the other clouds are.
const AWS: Cloud = Cloud {
    provider: "aws",
    world: "[[aws.account]]\nid = \"111122223333\"\naccess_keys = [\"AKIACANARY000000001\"]\n",
    account: "name = \"research\"\nprovider = \"aws\"\nexpect_account = \"111122223333\"\n\
              regions = [\"eu-west-1\"]\n",
    keys: &[
        ("AWS_ACCESS_KEY_ID", "AKIACANARY000000001"),
        ("AWS_SECRET_ACCESS_KEY", "canarysecretofaws71c2"),
    ],
};

/// All of them.
const ALL: [Cloud; 4] = [AWS, SCALEWAY, OVHCLOUD, LAMBDA];

/// One machine of ten days at each, whose owner nobody knows.
fn machines() -> String {
    format!(
        "[lambda]\nmin_interval_ms = 0\n\
         [[aws.instance]]\naccount = \"{ACCOUNT}\"\nregion = \"eu-west-1\"\nid = \"i-1\"\n\
         type = \"g5.xlarge\"\nlaunched = \"240h\"\n\
         [[scaleway.server]]\norganization = \"{}\"\nzone = \"fr-par-2\"\nid = \"s-1\"\n\
         type = \"L4-1-24G\"\ncreated = \"240h\"\n\
         [[ovhcloud.instance]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"o-1\"\n\
         name = \"carol--train\"\nflavor = \"l4-90\"\ncreated = \"240h\"\n\
         [[lambda.instance]]\naccount = \"burst\"\nregion = \"us-east-1\"\nid = \"b-1\"\n\
         type = \"gpu_1x_a10\"\nlaunched = \"240h\"\n",
        crate::support::ORGANISATION,
    )
}

/// The four accounts with one machine each, and what `more` says besides.
async fn four(more: &str) -> Sim {
    let worlds: String = ALL.iter().map(|cloud| cloud.world).collect();
    Sim::world(&format!("clock = {{ start = \"{NOW}\" }}\n{worlds}{}{more}", machines())).await
}

/// Carol has left, and so has whoever started the others.
const RULES: &str = "[pace]\nlambda = { per_second = 50 }\n\
     [owners]\nname_pattern = \"^(?P<owner>[a-z.]+)--\"\ndirectory = \"owners.csv\"\n\
     [[rule]]\nname = \"ownerless\"\n\
     when = { owner = [\"absent\", \"departed\"], older_than = \"2h\" }\naction = \"stop\"\n";

/// A folder with the four accounts, and all their keys in the environment.
fn reaper(sim: &Sim, tail: &str) -> Reaper {
    let accounts: String = ALL.iter().map(|cloud| cloud.at(sim)).collect();
    let keys = ALL.iter().flat_map(|cloud| cloud.keys);
    keys.fold(
        Reaper::with_config(&format!("version = 1\n{accounts}{RULES}{tail}"))
            .file("owners.csv", "owner,email,team,status\ncarol,carol@example.org,asr,departed\n")
            .env("REAPER_NOW", NOW),
        |reaper, (name, value)| reaper.env(name, value),
    )
}
