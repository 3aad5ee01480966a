//! Says in one line which GPU programs would use, or what is missing (status 1). `polyrs doctor` asks it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match polyrs_rt::About::first() {
        Ok(about) => {
            println!("{about}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}
