import type { DescribedCommand } from './described.js';

/** Escapes text for roff, so that none of it is a request. */
const text = (plain: string): string =>
  plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
const bold = (plain: string): string => `\\fB${text(plain)}\\fR`;

const EXIT_CODES = [
  ['0', 'done'],
  ['1', 'failed'],
  ['2', 'wrong usage'],
  ['3', 'found differences or damage'],
] as const;

const ENVIRONMENT = [
  ['LOGBOOK_URL, LOGBOOK_OPS_KEY', 'the running server that commands call, and a key of its operations service'],
  ['LOGBOOK_DATA_DIR, EVENTSTORE_URL, REDIS_URL', 'the stores used otherwise'],
  ['NO_COLOR', 'no colours on terminals'],
] as const;

const defined = (term: string, meaning: string): string => `.TP\n${bold(term)}\n${text(meaning)}`;

const section = ({ path, usage, description, options, example }: DescribedCommand): string =>
  [
    `.SS ${bold(['logbook', ...path].join(' '))} ${text(`${usage} [options]`.trim())}`,
    text(description),
    ...options.map((option) => defined(option.flags, option.description)),
    ...(example === undefined ? [] : ['.PP', 'Example:', '.PP', '.RS', text(example), '.RE']),
  ].join('\n');

/** The manual page of a program, in roff. */
export const manPage = (commands: readonly DescribedCommand[]): string => {
  const [program, ...others] = commands;
  const ends = others.filter((command) => command.commands.length === 0);
  return `${[
    '.TH LOGBOOK 1 "" "Logbook" "User Commands"',
    '.SH NAME',
    'logbook \\- runs and administers Logbook',
    '.SH SYNOPSIS',
    `${bold('logbook')} ${text('<command> [options]')}`,
    '.SH DESCRIPTION',
    text(program?.description ?? ''),
    '.SH OPTIONS',
    ...(program?.options ?? []).map((option) => defined(option.flags, option.description)),
    '.SH COMMANDS',
    ...ends.map(section),
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(([code, meaning]) => defined(code, meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.map(([names, meaning]) => defined(names, meaning)),
    'See docs/running/settings.md in the sources for all others.',
  ].join('\n')}\n`;
};
