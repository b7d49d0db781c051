"""Options that all tests share, and which of them have a worker of their own.

`make test` runs on several cores. A test is `real` if it waits for what really happens on this machine:
processes that are started and hurt, sensors that render, browsers, sockets, the wall clock. Real tests go one
after the other through two workers of their own, the lanes: `people`, where pages are looked at and commands
typed, and `processes`, where all else is started, hurt and timed. Beside them run those that only
compute. The files of `REAL` are real; a single test elsewhere says so itself, with `@pytest.mark.real` (or
`pytestmark = pytest.mark.real` for its file). A folder is never real: what only computes there would wait.

Real tests mostly wait, so there are two workers more than processors (the Makefile), and those that only
compute give way to them where that can be taken back, which takes root.

A `story` plays for long, one after the other, for each takes what a small machine has. `make test` leaves
stories out, `make stories` plays them, CI does both.

Real tests run again if they failed while this machine had no time for them: tests/machine_pauses.py.

What only types commands, or runs a program to its end, may run beside anything and is not real.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.machine_pauses", "tests.sharing_out"]

HERE = Path(__file__).parent

#: Folders and files, as seen from here.
REAL = (
    "framework/processes/test_emergency.py",
    "framework/processes/test_orphans_and_adoption.py",
    "framework/processes/test_real_children.py",
    "framework/registrar/test_two_processes.py",
    "framework/transport/test_zenoh_processes.py",
    "framework/transport/test_zenoh_speed.py",
    "framework/transport/test_zenoh_transport.py",
    "pilothouse/cli/test_commands.py",
    "pilothouse/test_browser.py",
    "pilothouse/test_campaign_cli.py::test_it_writes_a_page_a_table_and_junit",
    "pilothouse/test_exits.py",
    "pilothouse/test_gestures_seen.py",
    "pilothouse/experiments/gesture/test_rendered.py",
    "pilothouse/test_hands_before_cameras.py",
    "pilothouse/test_installation.py",
    "pilothouse/test_pointing_in_browser.py",
    "pilothouse/test_talking_in_browser.py",
    "pilothouse/test_what_strangers_say.py",
    "pilothouse/test_wheel.py",
    "resources/children/test_door_and_things.py",
    "resources/children/test_loudspeaker.py",
    "resources/children/test_real_children.py",
    "resources/console/test_encoder.py",
    "resources/drivers/franka/test_arm_child.py",
    "resources/drivers/franka/test_following_a_hand.py",
    "resources/drivers/franka/test_gripper_child.py",
    "resources/drivers/franka/test_in_installation.py",
    "resources/drivers/franka/test_same_as_simulated.py",
    "resources/operator/test_page_seen.py",
    "resources/drivers/realsense/test_child.py",
    "resources/drivers/realsense/test_driver.py",
    "resources/drivers/realsense/test_start_turn.py",
    "resources/fci_sim/test_genuine_client.py",
    "resources/fci_sim/test_server.py",
    "resources/fci_sim/test_simulated_box.py",
    "resources/gestures/test_reader_child.py",
    "resources/gestures/test_tracker_pipe.py",
    "resources/simulation/test_rendered_sensors.py",
    "resources/speech/test_apart.py",
    "resources/speech/test_children.py",
)

PEOPLE = (
    "pilothouse/cli/test_commands.py",
    "pilothouse/operator_in_browser",
    "pilothouse/test_browser.py",
    "pilothouse/test_campaign_cli.py::test_it_writes_a_page_a_table_and_junit",
    "pilothouse/test_genuine_spes_page.py",
    "pilothouse/test_gestures_seen.py",
    "pilothouse/experiments/gesture/test_rendered.py",
    "pilothouse/test_hands_before_cameras.py",
    "pilothouse/test_pointing_in_browser.py",
    "pilothouse/test_talking_in_browser.py",
    "pilothouse/testbed/test_headless_chromium.py",
    "resources/console/test_dialogue_in_browser.py",
    "resources/console/test_in_browser.py",
    "resources/console/test_log_in_browser.py",
    "resources/drivers/franka/test_arm_child.py",
    "resources/operator/test_page_in_browser.py",
    "resources/operator/test_page_seen.py",
    "resources/operator/test_second_server.py",
    "resources/operator/test_spes_in_browser.py",
)
"""Of the real ones, what is looked at in a browser or typed: the other lane.

And the arm's process, which nobody looks at: all tests take at least as long as the longer lane.
"""

STORIES = (
    "actions/test_teaching.py::test_a_lesson_has_an_end",
    "faults/test_random_faults.py::test_faults_of_real_children_leave_nothing_behind",
    "framework/plan/umrf/test_bad.py::test_the_largest_files_are_refused_or_read_in_good_time",
    "framework/processes/test_real_children.py::test_fifty_starts_leave_no_descriptor_no_process_and_no_task",
    "framework/scenarios/test_reading.py::test_deep_nesting_is_refused_in_words[very many]",
    "framework/scenarios/test_reports.py::test_the_picture_of_a_thousand_faults_has_a_bound",
    "framework/scenarios/test_runner.py::test_many_seeds_of_random_faults",
    "framework/testing/test_virtual_loop.py::test_a_day_of_a_tenth_second_timer_takes_seconds",
    "grammars/test_language.py::test_any_text_is_survived",
    "grammars/wording/test_plans.py::test_whatever_the_house_can_be_asked_for_is_worded_at_the_first_try",
    "grammars/wording/test_samples.py::test_nothing_can_be_said_where_nothing_is_known",
    "language/test_accuracy.py::test_what_the_grammar_generates_is_understood_as_just_that",
    "language/test_experiment.py::test_a_paraphrase_with_another_plan_is_wrong_and_counts_in_its_half",
    "language/test_experiment.py::test_other_people_bring_their_own_sets",
    "language/test_experiment.py::test_it_measures_and_draws_everything",
    "pilothouse/cli/test_commands.py::test_after_kill_9_nothing_is_left_and_the_next_one_starts",
    "pilothouse/cli/test_commands_alone.py::test_without_an_installation_the_language_of_the_actions_here_is_asked",
    "pilothouse/cli/test_commands_alone.py::test_lint_names_the_file_and_line_of_a_phrase_that_is_wrong",
    "pilothouse/experiments/fci/test_fci.py::test_all_figures",
    "pilothouse/experiments/impedance/test_runs.py",
    "pilothouse/experiments/speech/test_held.py",
    "pilothouse/experiments/speech/test_speech.py::test_it_measures_everything_that_it_has_goals_for",
    "pilothouse/experiments/speech/test_speech.py::test_what_people_say_was_not_learnt",
    "pilothouse/operator_in_browser",
    "pilothouse/test_browser.py",
    "pilothouse/test_campaign_cli.py::test_it_writes_a_page_a_table_and_junit",
    "pilothouse/test_exits.py::test_a_campaign",
    "pilothouse/test_exits.py::test_a_combination",
    "pilothouse/test_gestures_seen.py",
    "pilothouse/experiments/gesture/test_rendered.py",
    "pilothouse/test_hands_before_cameras.py",
    "pilothouse/test_installation.py",
    "pilothouse/test_language.py",
    "pilothouse/test_scenario_cli.py::test_our_scenarios_pass[random_faults]",
    "pilothouse/test_scenario_cli.py::test_our_scenarios_pass[speech]",
    "pilothouse/test_scenario_cli.py::test_our_scenarios_pass[teleoperation_",
    "pilothouse/test_scenario_cli.py::test_random_faults_with_many_seeds",
    "pilothouse/test_scenario_cli.py::test_a_microphone_dies_while_somebody_speaks_for_real",
    "pilothouse/test_scenario_cli.py::test_the_environment_stays_visible_for_real",
    "pilothouse/test_scenario_cli.py::test_the_same_happens_virtually_and_for_real",
    "pilothouse/test_scenario_cli.py::test_the_same_seed_gives_the_same_run",
    "pilothouse/test_scenario_cli.py::test_the_smallest_failing_seed_is_named_and_fails_alone",
    "pilothouse/test_stops.py",
    "pilothouse/test_pointing_in_browser.py",
    "pilothouse/test_talking_in_browser.py",
    "pilothouse/test_what_strangers_say.py",
    "pilothouse/test_wheel.py",
    "resources/children/test_real_children.py::test_a_base_in_the_world_is_guarded_by_a_real_scanner",
    "resources/children/test_real_children.py::test_a_colour_camera_gives_pictures_and_a_noisy_one_has_holes",
    "resources/children/test_real_children.py::test_all_sensors_work_together_and_outlive_each_other",
    "resources/children/test_real_children.py::test_every_way_to_fail_is_found_out_and_harms_no_neighbour",
    "resources/console/test_in_browser.py::test_the_robot_fills_the_picture_wherever_it_stands_and_the_view_is_the_viewers",
    "resources/drivers/franka/test_in_installation.py",
    "resources/drivers/franka/test_same_as_simulated.py",
    "resources/operator/test_page_seen.py",
    "resources/speech/test_children.py::test_emergency_stop_latches_and_once_reset_it_is_not_heard_again_by_a_new_ear",
    "resources/speech/test_children.py::test_what_is_said_is_written_down_also_by_the_next_recogniser_and_names_are_learnt",
    "resources/speech/test_own_voice.py",
    "resources/speech/test_spotting.py::test_it_is_heard_at_the_end_of_a_speech_without_a_pause",
    "resources/simulation/test_lidar_and_noise.py::test_a_swept_wrist_scans_the_whole_room_into_one_cloud",
    "resources/worlds/test_arm_part.py::test_a_grasped_block_is_lifted_and_its_weight_is_felt",
    "resources/worlds/test_arms_apart.py",
    "resources/worlds/test_hand.py::test_an_arm_that_is_led_while_it_is_guided_is_taught_and_repeats_what_it_was_taught",
    "resources/worlds/test_random_stops.py",
    "test_machine_pauses.py::test_only_a_real_test_on_a_machine_without_time_runs_again",
    "pilothouse/test_spoken_language.py::test_it_is_made_once_and_anew_where_it_is_broken",
    "pilothouse/experiments/gesture/test_gesture.py::test_the_constants_in_the_source_are_those_that_fitting_gives",
    "resources/speech/test_hearing.py::test_whenever_an_ear_dies_the_next_one_hears_the_cry_and_no_other_one_does",
)
"""What plays for long, mostly with a whole installation: `make stories`, which CI runs, too."""

LONGEST = (
    "faults/test_fault_matrix.py",
    "framework/supervisor/test_danger.py",
    "framework/tree/test_engine_behaviours.py",
    "managers/test_operator_lost.py",
    "managers/test_people.py",
    "managers/test_plans_of_drivers.py",
    "managers/test_sweep_after_a_hand.py",
    "pilothouse/cli/test_shell_completion.py",
    "pilothouse/test_scenario_cli.py",
    "resources/children/test_controls.py",
    "resources/controllers/test_arm.py",
    "resources/controllers/test_arm_limits.py",
    "resources/controllers/test_following.py",
    "resources/twin/test_walls.py",
    "resources/worlds/test_world_motion.py",
    "resources/worlds/test_world_state.py",
)
"""Of what only computes, the files that take longest: they begin, so that all workers end together."""

#: How far what only computes steps back (nice).
GIVING_WAY = 10

GARBAGE = (20_000, 20, 20)
"""When Python looks for garbage (`gc.set_threshold`): a test makes little that is worth a look."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where browser tests leave the pictures that the README shows."""
    parser.addoption("--pictures", default="", metavar="FOLDER", help="write the README's screenshots there")


# How long a random input takes to be made says nothing on a machine whose two processors are shared.
settings.register_profile("shared", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("shared")


def pytest_configure() -> None:
    """Who started us may let us ignore Ctrl-C, as nohup does: what tests start does not inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.fsync = lambda file: None  # type: ignore[assignment]  # whose disk it is must not matter
    gc.disable()  # what is collected stays: a fifth of that time would be spent looking for garbage


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make stories` reads only the files that have stories: each worker would read all of them."""
    if not config.option.markexpr.startswith("story") or not collection_path.is_relative_to(HERE):
        return None
    place = str(collection_path.relative_to(HERE))
    files = {story.partition("::")[0] for story in STORIES}
    has_any = any(f"{each}/".startswith(f"{place}/") or place.startswith(f"{each}/") for each in files)
    return None if has_any or place == "." else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each worker begins to import with another file.

    All of them need all files, and in a new checkout each would compile all of them beside the others.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    if (
        worker is None
        or config.args != config.getini("testpaths")
        or config.option.markexpr.startswith("story")
    ):
        return
    files = sorted(HERE.rglob("test_*.py"))
    begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in (*files[begin:], *files[:begin]):
        # What is wrong with it is said when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is real; among workers keep the lanes together, and begin with them and with the longest."""
    is_shared_out = config.pluginmanager.hasplugin("xdist")
    places = {path: str(path.relative_to(HERE)) for path in {item.path for item in items}}
    for_people = {path for path, place in places.items() if place.startswith(PEOPLE)}
    real = {path for path, place in places.items() if place.startswith(REAL)} | for_people
    for item in items:
        lane = "people" if item.path in for_people else "processes"
        if f"{places[item.path]}::{item.name}".startswith(STORIES):
            item.add_marker(pytest.mark.story)
            lane = "stories"
        if item.path in real:
            item.add_marker(pytest.mark.real)
        if is_shared_out and item.get_closest_marker("real") is not None:
            item.add_marker(pytest.mark.xdist_group(lane))
    if is_shared_out:
        items.sort(
            key=lambda item: (item.get_closest_marker("real") is None, places[item.path] not in LONGEST)
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """In a worker beside others, what only computes gives way to what waits for real time."""
    if os.geteuid() == 0 and hasattr(item.config, "workerinput"):
        is_real = item.get_closest_marker("real") is not None
        os.setpriority(os.PRIO_PROCESS, 0, 0 if is_real else GIVING_WAY)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is there by now stays, so the garbage collector need not look at it, now or ever."""
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what is left out: who names a file whose tests all play elsewhere sees nothing selected."""
    if "not story" in config.option.markexpr:
        terminalreporter.write_line(
            "Left out: what `make stories` plays (whole installations), `make soak` and `make bench`."
        )
