//! Cases, notice periods, brake and plan. Nothing lives here yet: this version finds and reports,
//! it plans no action. What a plan will be made of (verdicts, wanted actions, stop offers) is in
//! `reaper-model` and `reaper-policy`.
