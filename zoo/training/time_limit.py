"""Number of the planned epochs that a time limit allows, said as soon as it is known."""

from zoo.option_names import option_name
from zoo.training.plan import TrainingPlan

FALLS_WITH_STEPS = ("cosine", "linear")  # schedules that reach their end at the last planned step


def cut_by_limit(
    plan: TrainingPlan, epoch: int, epoch_seconds: float, seconds_left: float
) -> str | None:
    """Says that training will end before its planned epochs, and what to do for a whole schedule.

    Args:
        plan: Plan of the run.
        epoch: Number of complete epochs.
        epoch_seconds: How long an epoch takes, with its validation, in seconds.
        seconds_left: Time until the limit, in seconds.

    Returns:
        A sentence for the log; None if all epochs fit.

    Example:
        >>> from zoo.training.objective import Objective
        >>> plan = TrainingPlan(epochs=9, steps_per_epoch=2, objective=Objective("mse"))
        >>> cut_by_limit(plan, epoch=1, epoch_seconds=60, seconds_left=250)
        'at this speed, max_minutes ends the training after about 5 of 9 epochs'
        >>> cut_by_limit(plan, epoch=1, epoch_seconds=60, seconds_left=500) is None
        True
    """
    reached = epoch + max(0.0, seconds_left) / max(epoch_seconds, 1e-9)
    if reached >= plan.epochs:
        return None
    fit = max(1, int(reached))
    limit = option_name("max_minutes")
    sentence = f"at this speed, {limit} ends the training after about {fit} of {plan.epochs} epochs"
    if plan.optimizer.schedule not in FALLS_WITH_STEPS:
        return sentence
    return (
        f"{sentence}, before its learning rate has fallen: start it with "
        f"{option_name('epochs')} {fit} for a whole schedule"
    )
