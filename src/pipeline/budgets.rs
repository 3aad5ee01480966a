//! What each stage may spend on a region: shares of the function's one budget.

use crate::error::{Failure, Limit, WHOLE_FUNCTION};
use crate::options::Options;
use log::debug;
use presburger::{Budget, Share};

/// A stage that spends steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Sets and maps.
    Model,
    /// Dependences, and scalars mapped onto array elements.
    Dependences,
    /// New orders, all alternatives together.
    Schedule,
    /// Roles of loops.
    Parallel,
    /// Proofs of orders with roles.
    Proof,
    /// Loops, all alternatives together.
    Ast,
    /// What is tested before new loops run, and buffers of copies of arrays.
    RunTimeCheck,
}

impl Stage {
    /// All stages in order.
    const ALL: [Self; 7] =
        [Self::Model, Self::Dependences, Self::Schedule, Self::Parallel, Self::Proof, Self::Ast, Self::RunTimeCheck];

    /// What remarks call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Dependences => "dependences",
            Self::Schedule => "schedule",
            Self::Parallel => "parallel",
            Self::Proof => "proof",
            Self::Ast => "ast",
            Self::RunTimeCheck => "run-time check",
        }
    }

    /// Steps that it may spend on one region.
    fn steps(self, options: &Options) -> u64 {
        match self {
            Self::Model => options.analysis_budget,
            Self::Dependences => options.dependences_budget,
            Self::Schedule => options.schedule_budget,
            Self::Parallel => options.parallel_budget,
            Self::Proof => options.proof_budget,
            Self::Ast => options.ast_budget,
            Self::RunTimeCheck => options.check_budget,
        }
    }
}

/// The steps set apart for one region, by stage, and whether they are fewer than the stage may spend: what other
/// regions and earlier stages have left of the function's.
pub struct Shares<'b>(Vec<(Share<'b>, bool)>);

impl<'b> Shares<'b> {
    /// For a region of a function that has `whole` left.
    #[must_use]
    pub fn of(whole: &'b Budget, options: &Options) -> Self {
        let share = |stage: &Stage| {
            let steps = stage.steps(options);
            let share = whole.share(steps);
            let is_cut = share.size() < steps;
            (share, is_cut)
        };
        Self(Stage::ALL.iter().map(share).collect())
    }

    /// What is left for a stage.
    #[must_use]
    pub fn of_stage(&self, stage: Stage) -> &Budget {
        &self.0[stage as usize].0
    }

    /// Runs (a part of) a stage on its share; a limit that it meets is told under its name, whichever module met it, or
    /// under that of the function where its share was cut.
    ///
    /// # Errors
    /// Those of the stage.
    pub fn run<T>(&self, stage: Stage, work: impl FnOnce(&Budget) -> Result<T, Failure>) -> Result<T, Failure> {
        work(self.of_stage(stage)).map_err(|failure| match failure {
            Failure::Limit(limit) => Failure::Limit(self.blamed(Limit { stage: stage.name(), ..limit })),
            other => other,
        })
    }

    /// The limit that a stage met, under the name of what has to be larger.
    #[must_use]
    pub fn blamed(&self, limit: Limit) -> Limit {
        let is_cut = |name| Stage::ALL.into_iter().any(|stage| stage.name() == name && self.0[stage as usize].1);
        let of_function = limit.why == presburger::Error::Spent && is_cut(limit.stage);
        if of_function { Limit { stage: WHOLE_FUNCTION, ..limit } } else { limit }
    }

    /// Tells the log what each stage has spent.
    pub fn log(&self, region: &str) {
        let spent = |(stage, (share, _)): (&Stage, &(Share, bool))| {
            format!("{} {} of {}", stage.name(), share.size() - share.left(), share.size())
        };
        debug!("{region}: steps spent: {}", Stage::ALL.iter().zip(&self.0).map(spent).collect::<Vec<_>>().join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_share_the_budget_of_the_function() {
        let options = Options { analysis_budget: 30, dependences_budget: 100, ..Options::default() };
        let whole = Budget::steps(100);
        {
            let shares = Shares::of(&whole, &options);
            let left = |stage| shares.of_stage(stage).left();
            assert_eq!((left(Stage::Model), left(Stage::Dependences), left(Stage::Schedule)), (30, 70, 0));
            let spent = shares.run(Stage::Model, |budget| budget.spend(20).map_err(Limit::of("elsewhere")));
            assert!(spent.is_ok());
        }
        assert_eq!(whole.left(), 80, "what no stage took is there for the next region");
    }

    #[test]
    fn the_budget_of_the_function_is_named_where_it_cut_the_share() {
        let options = Options { analysis_budget: 30, dependences_budget: 100, ..Options::default() };
        let whole = Budget::steps(100);
        let shares = Shares::of(&whole, &options);
        let met = |stage| match shares.run(stage, |budget| budget.spend(71).map_err(Limit::of("elsewhere"))) {
            Err(Failure::Limit(limit)) => limit.stage,
            _ => "none",
        };
        assert_eq!((met(Stage::Model), met(Stage::Dependences)), ("model", WHOLE_FUNCTION), "whose option helps");
    }

    #[test]
    fn a_limit_is_told_under_the_name_of_the_stage_that_met_it() {
        let whole = Budget::steps(10);
        let shares = Shares::of(&whole, &Options::default());
        for stage in Stage::ALL {
            let met = shares.run(stage, |_| Err::<(), _>(Limit::overflow("elsewhere")));
            let Err(Failure::Limit(limit)) = met else { panic!("{stage:?}") };
            assert_eq!((limit.stage, limit.why), (stage.name(), presburger::Error::Overflow));
        }
        assert!(matches!(shares.run(Stage::Ast, |_| Err::<(), _>(Failure::Bug(String::new()))), Err(Failure::Bug(_))));
    }
}
