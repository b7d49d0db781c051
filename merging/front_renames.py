"""Old module names of grammars, plan.umrf, pilothouse to new ones, after a merge: front_renames.py [REPO]; then ruff check --fix, ruff format."""
import re, subprocess, pathlib
import sys
ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '.').resolve()
M = {}  # old module -> new module
for n in "accepting activities activity asking clauses combining correcting grammar inflection joins markers matching names network numerals outcome phrasebook quantities ranking recogniser scopes slots supposing tokens utterance".split():
    M[f"grammars.{n}"] = f"grammars.reading.{n}"
for n in "refusing completing filling help samples covering compounds whole_joins spoken".split():
    M[f"grammars.{n}"] = f"grammars.wording.{n}"
M["grammars.wording"] = "grammars.wording.plans"
for n in "lint lint_words reference jsgf jsgf_parts jsgf_templates vocabulary choices".split():
    M[f"grammars.{n}"] = f"grammars.tools.{n}"
M["framework.plan.umrf"] = "framework.plan.umrf"  # to package
for o, n in dict(edges="edges", fields="fields", json="decoding", library="library", parameters="parameters", read="reader", steps="steps", write="writer").items():
    M[f"framework.plan.umrf_{o}"] = f"framework.plan.umrf.{n}"
E, X, T = "pilothouse.cli.experiments", "pilothouse.experiments", "pilothouse.testbed"
M[E] = X
for n in "definition report".split(): M[f"{E}.{n}"] = f"{X}.{n}"
for n in "arm_stage hand_stage console_program console_watcher headless_chromium installation_program ring_log".split():
    M[f"{E}.{n}"] = f"{T}.{n}"
for n in "fci impedance language observer on_demand operator_link phone_session registrar show_environment stopping twin".split():
    M[f"{E}.{n}"] = f"{X}.{n}"
M[f"{E}.fci_client"] = f"{X}.fci.client"
M[f"{E}.impedance_runs"] = f"{X}.impedance.runs"
M[f"{E}.phone_session_runs"] = f"{X}.phone_session.runs"
for n in "beside crowd generated hassil household judged lab lark peers sets slots".split(): M[f"{E}.language_{n}"] = f"{X}.language.{n}"
for n in "bare browser clutch drives entry relay robot trips watch".split(): M[f"{E}.operator_link_{n}"] = f"{X}.operator_link.{n}"
for n, m in dict(failures="failures", far_side="far_side", house="local", zenoh="zenoh").items(): M[f"{E}.registrar_{n}"] = f"{X}.registrar.{m}"
for n in "robot watch".split(): M[f"{E}.stopping_{n}"] = f"{X}.stopping.{n}"
for n in "attempts fidelity law stage".split(): M[f"{E}.twin_{n}"] = f"{X}.twin.{n}"
C = "pilothouse.cli"
M[f"{C}.installation_stage"] = f"{T}.installation_stage"
M[f"{C}.virtual_installation"] = f"{T}.virtual_installation"
M[f"{C}.played_controls"] = f"{T}.virtual_controls"
M[f"{C}.played_operators"] = f"{T}.virtual_operators"
M[f"{C}.played_parts"] = f"{T}.virtual_processes"
M[f"{C}.running"] = "pilothouse.running"


M["pilothouse.keeping"]="pilothouse.standing_requests"
M["tests.grammars.jsgf_checker"]="tests.grammars.tools.jsgf_checker"
# merged later
M["grammars.jsgf_parts"]=M["grammars.jsgf_templates"]; M["grammars.vocabulary"]=M["grammars.jsgf"]; M["grammars.whole_joins"]=M["grammars.compounds"]
M[f"{E}.impedance_runs"]=f"{X}.impedance"; M[f"{E}.phone_session_runs"]=f"{X}.phone_session"
WORDS={r"\bPlayed(Controls?|Hand|Session|Operators|Launcher|Processes|Stream)\b": r"Virtual\1", r"\bkeep_(control|operators|world)\b": r"hold_\1"}
pat=re.compile(r"(?<![\w.])("+"|".join(re.escape(k) for k in sorted((k for k in M if M[k]!=k),key=len,reverse=True))+r")(?!\w)(?!(?<=grammars\.wording)\.)")
for f in subprocess.run(["git","ls-files"],cwd=ROOT,capture_output=True,text=True).stdout.split("\n"):
    p=ROOT/f
    if not f.endswith((".py",".md",".toml",".yaml","Makefile")) or f.startswith("CHANGELOG") or not p.is_file(): continue
    t=p.read_text(); n=pat.sub(lambda m:M[m[1]],t)
    for a,b in WORDS.items(): n=re.sub(a,b,n)
    n=re.sub(r"from pilothouse\.cli import running$","from pilothouse import running",n,flags=re.M)
    n=re.sub(r"from grammars\.(?:reading\.)?asking import (VALUE, Sayable|Sayable|VALUE)$",r"from grammars.conditions import \1",n,flags=re.M)
    if n!=t: p.write_text(n); print(f)
