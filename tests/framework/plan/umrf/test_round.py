"""Whatever plan is written as UMRF comes back equal; whatever can be read is read the same once written."""

from __future__ import annotations

from hypothesis import given, settings

from framework.plan import Plan, as_graph, from_umrf, to_umrf
from framework.plan.forms import from_form
from tests.effort import random_inputs
from tests.framework.plan.made_plans import plans


@random_inputs(300)
@given(plans)
def test_a_plan_that_was_written_comes_back_equal(plan: Plan) -> None:
    assert from_umrf(to_umrf(plan)) == plan


@settings(deadline=None)
@given(plans)
def test_every_plan_is_the_plan_of_its_picture(plan: Plan) -> None:
    assert from_form(as_graph(plan)) == plan
