/**
 * `carillon completion`: a script that lets a shell complete verbs and options, made from the verbs themselves.
 */
import { Argument, type Command } from 'commander'
import type { Terminal } from '../Terminal.js'
import { bareVerb } from '../verb.js'

/** What may follow each chain of verbs: `flow` → `list show …`, `flow list` → `--status …`. */
const wordsAfter = (
  command: Command,
  chain: readonly string[] = [],
): readonly (readonly [string, readonly string[]])[] => {
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? [])
  const verbs = command.commands.map((each) => each.name())
  return [
    [chain.join(' '), [...verbs, ...options, '--help']],
    ...command.commands.flatMap((each) => wordsAfter(each, [...chain, each.name()])),
  ]
}

const cases = (words: readonly (readonly [string, readonly string[]])[]): string =>
  words.map(([chain, next]) => `    '${chain}') words='${next.join(' ')}' ;;`).join('\n')

const bash = (words: ReturnType<typeof wordsAfter>): string => `_carillon() {
  local words chain='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -* ]] && break
    chain="\${chain:+$chain }\${COMP_WORDS[i]}"
  done
  case "$chain" in
${cases(words)}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _carillon carillon`

const fish = (words: ReturnType<typeof wordsAfter>): string =>
  words
    .flatMap(([chain, next]) =>
      next.map((word) => {
        const seen = chain.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
        const condition = chain === '' ? '__fish_use_subcommand' : seen.join('; and ')
        return word.startsWith('--')
          ? `complete -c carillon -n '${condition}' -l ${word.slice(2)}`
          : `complete -c carillon -f -n '${condition}' -a ${word}`
      }),
    )
    .join('\n')

const scripts: Readonly<Record<string, (words: ReturnType<typeof wordsAfter>) => string>> = {
  bash,
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`,
  fish,
}

export const completionVerb = (terminal: Terminal): Command =>
  bareVerb('completion', 'print a script that completes verbs and options in a shell', [
    'completion bash >> ~/.bashrc',
    'completion fish > ~/.config/fish/completions/carillon.fish',
  ])
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .action((shell: string, _options: object, command: Command) => {
      const root = command.parent ?? command
      terminal.out(scripts[shell]?.(wordsAfter(root)) ?? '')
    })
