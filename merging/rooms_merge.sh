#!/usr/bin/env bash
# rooms_merge.sh FOLDER OTHER    in the git clone FOLDER, whose HEAD has the floors of resources/ already: merge the branch
# main of OTHER, which was made on the old places. First the common base and OTHER's tip are moved (rooms_moves.py), so
# that only what both really changed can conflict. Afterwards, conflicts resolved and added:
#   rooms_merge.sh --finish FOLDER     makes the merge commit, with HEAD and OTHER's main as its parents
set -euo pipefail
ruff=HELPERS/rooms/.venv/bin/ruff
moved_tree() {  # COMMIT: the tree of this commit, moved
    local tree=/tmp/rooms_merge_tree.$$
    rm -rf "$tree"; git worktree add -q --detach "$tree" "$1" >&2
    (cd "$tree"
     python3 HELPERS/rooms_moves.py . >&2
     python3 HELPERS/rooms_fixups.py . >/dev/null
     "$ruff" check -q --fix --select I,F401 . >&2 || true; "$ruff" format -q . >&2 || true
     git add -A; git write-tree)
    git worktree remove --force "$tree" >&2
}
if [ "$1" = --finish ]; then
    cd "$2"; read -r ours theirs branch < .git/ROOMS_MERGE
    made=$(git commit-tree "$(git write-tree)" -p "$ours" -p "$theirs" -m "Merge ${3:-another branch} onto the floors of resources/")
    rm -f .git/MERGE_HEAD .git/MERGE_MSG .git/MERGE_MODE .git/AUTO_MERGE .git/ROOMS_MERGE
    git checkout -q -f "$branch"; git reset -q --hard "$made"; git log --oneline -1; exit
fi
cd "$1"; git fetch -q "$2" main; theirs=$(git rev-parse FETCH_HEAD); ours=$(git rev-parse HEAD); branch=$(git branch --show-current)
base=$(git merge-base "$ours" "$theirs")
b=$(git commit-tree "$(moved_tree "$base")" -p "$base" -m "the base, moved")
t=$(git commit-tree "$(moved_tree "$theirs")" -p "$b" -m "theirs, moved")
o=$(git commit-tree "$ours^{tree}" -p "$b" -m "ours")
echo "$ours $theirs $branch" > .git/ROOMS_MERGE
git checkout -q --detach "$o"
git merge --no-commit --no-ff "$t" | grep -E "CONFLICT|Automatic" || true
