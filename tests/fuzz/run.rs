//! How a target is run: for a moment with the same inputs each time, or for as much processor time as the environment says
//! with others.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// For the short run.
pub const CASES: u32 = 120;
/// Between two looks at the clock.
const ROUND: u32 = 200;
/// No input of these sizes takes this long, in a debug build either. The clock alone would blame an input for a busy machine,
/// and processor time alone for the other targets of the same process: both have to pass it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `check` on what `inputs` makes. What fails is made as small as it can be and printed, and so is the seed.
#[track_caller]
pub fn fuzz<S>(inputs: S, check: impl Fn(&S::Value))
where
    S: Strategy,
    S::Value: Clone + Debug,
{
    fuzz_some(CASES, inputs, check);
}

/// The same for inputs of which each takes longer: the short run has `cases` of them.
#[track_caller]
pub fn fuzz_some<S>(cases: u32, inputs: S, check: impl Fn(&S::Value))
where
    S: Strategy,
    S::Value: Clone + Debug,
{
    let timed = |input: S::Value| {
        let (wall, processor) = (Instant::now(), ProcessTime::now());
        check(&input);
        match wall.elapsed().min(processor.elapsed()) {
            time if time > PATIENCE => Err(TestCaseError::fail(format!("it took {time:?}"))),
            _ => Ok(()),
        }
    };
    let config =
        |cases| Config { failure_persistence: None, max_shrink_time: 120_000, ..Config::with_cases(cases) };
    let Some(seconds) = seconds() else {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        return TestRunner::new_with_rng(config(cases), rng)
            .run(&inputs, timed)
            .unwrap_or_else(|e| panic!("{e}"));
    };
    let start = ProcessTime::now();
    let mut cases = 0;
    while start.elapsed() < seconds {
        let seed = seed(cases);
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        if let Err(error) = TestRunner::new_with_rng(config(ROUND), rng).run(&inputs, timed) {
            panic!("seed {seed:?}: {error}");
        }
        cases += u64::from(ROUND);
    }
    println!("{cases} inputs in {} s of processor time", start.elapsed().as_secs());
}

fn seconds() -> Option<Duration> {
    let seconds = std::env::var("GATELINT_FUZZ_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("GATELINT_FUZZ_SECONDS is a number")))
}

/// Another one for each round of each run.
fn seed(cases: u64) -> [u8; 32] {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&now.to_le_bytes());
    seed[8..16].copy_from_slice(&cases.to_le_bytes());
    seed[16..20].copy_from_slice(&std::process::id().to_le_bytes());
    seed
}
