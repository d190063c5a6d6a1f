import type { DescribedCommand } from './described.js';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const keyOf = ({ path }: Pick<DescribedCommand, 'path'>): string => path.map((word) => ` ${word}`).join('');
const namesOf = ({ options }: DescribedCommand): readonly string[] => options.flatMap(({ names }) => names);

/** Words of commands that have subcommands or options; the program itself is the empty one. */
const pathsOf = (commands: readonly DescribedCommand[]): readonly string[] => commands.map(keyOf).filter((key) => key !== '');

const bash = (commands: readonly DescribedCommand[]): string => `# source <(logbook completion bash)
_logbook() {
  local word path='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathsOf(commands).map(quoted).join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${commands
  .map((command) => {
    const words = [...command.commands.map(({ name }) => name), ...namesOf(command)].join(' ');
    return `    ${quoted(keyOf(command))}) words=${quoted(words)} ;;`;
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _logbook logbook
`;

const zshWord = (name: string, description: string): string => quoted(`${name.replaceAll(':', '\\:')}:${description}`);

const zsh = (commands: readonly DescribedCommand[]): string => `#compdef logbook
# source <(logbook completion zsh), or as the file _logbook in a folder of $fpath
_logbook() {
  local word where=''
  local -a found
  for word in \${words[2,CURRENT-1]}; do
    case "$where $word" in
      (${pathsOf(commands).map(quoted).join('|')}) where="$where $word" ;;
    esac
  done
  case "$where" in
${commands
  .map((command) => {
    const found = [
      ...command.commands.map(({ name, description }) => zshWord(name, description)),
      ...command.options.flatMap(({ names, description }) => names.map((name) => zshWord(name, description))),
    ];
    return `    (${quoted(keyOf(command))}) found=(${found.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe 'logbook' found || _files
}
if [ "$funcstack[1]" = _logbook ]; then _logbook "$@"; else compdef _logbook logbook; fi
`;

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fish = (commands: readonly DescribedCommand[]): string => {
  const lines = commands.flatMap((command) => {
    const at = `complete -c logbook -n ${fishText(`__logbook_at ${fishText(keyOf(command))}`)}`;
    return [
      ...command.commands.map(({ name, description }) => `${at} -f -a ${fishText(name)} -d ${fishText(description)}`),
      ...command.options.map(({ names, description, takesValue }) => {
        const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
        return `${at} ${flags.join(' ')}${takesValue ? ' -r' : ''} -d ${fishText(description)}`;
      }),
    ];
  });
  return `# logbook completion fish | source
set -g __logbook_paths ${pathsOf(commands).map(fishText).join(' ')}
function __logbook_at
    set -l path ''
    for word in (commandline -opc)[2..]
        if contains -- "$path $word" $__logbook_paths
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
};

/** Completion scripts, by the name of the shell. */
export const COMPLETIONS: Readonly<Record<string, (commands: readonly DescribedCommand[]) => string>> = { bash, zsh, fish };
