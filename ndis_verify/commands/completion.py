"""`ndis-verify completion bash|zsh|fish`: what a shell needs to complete verbs, their flags and the ids of claims."""

from __future__ import annotations

import argparse

_OF_CLAIMS = ("verify", "show", "attack", "where")  # the verbs that take ids
_BASH = """_ndis_verify() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "{verbs}" -- "$word")); return; fi
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    [ -n "$COMPREPLY" ] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -F _ndis_verify ndis-verify"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.description = (
        'Print a completion script: eval "$(ndis-verify completion bash)" in ~/.bashrc, the same with zsh in'
        " ~/.zshrc, ndis-verify completion fish | source in fish."
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def main(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from ndis_verify.claims.ledger import all_claims
    from ndis_verify.commands.verbs import VERBS, flags_of

    ids = " ".join(claim.id for claim in all_claims())
    words = {verb: " ".join(flags_of(verb)) + (f" {ids}" if verb in _OF_CLAIMS else "") for verb in VERBS}
    print(_fish(VERBS, words) if arguments.shell == "fish" else _bash(words, arguments.shell))
    return 0


def _bash(words: dict[str, str], shell: str) -> str:
    cases = "\n".join(
        f'        {verb}) COMPREPLY=($(compgen -W "{known}" -- "$word"));;' for verb, known in words.items()
    )
    start = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return start + _BASH.format(verbs=" ".join(words), cases=cases)


def _fish(verbs: dict[str, str], words: dict[str, str]) -> str:
    lines = [f"complete -c ndis-verify -n __fish_use_subcommand -a {verb} -d '{text}'" for verb, text in _quoted(verbs)]
    lines += [
        f"complete -c ndis-verify -n '__fish_seen_subcommand_from {verb}' -a '{known}'"
        for verb, known in words.items()
        if known.strip()
    ]
    return "\n".join(lines)


def _quoted(verbs: dict[str, str]) -> list[tuple[str, str]]:
    return [(verb, text.replace("'", "\\'")) for verb, text in verbs.items()]
