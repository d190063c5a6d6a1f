import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentOf } from './logbook-process.js';

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** What a program wrote to its terminal. */
export type Shown = Readonly<{ code: number | null; screen: string }>;

/**
 * Runs a program of Node to its end on a terminal (`script` of util-linux) of so many columns, standard output and error together.
 * @param environment besides PATH and such
 * @param until what it writes before Ctrl-C is pressed. Default: it ends by itself
 */
export const onTerminal = async (
  program: readonly string[],
  environment: Readonly<Record<string, string>>,
  { columns = 100, until }: Readonly<{ columns?: number; until?: string }> = {},
): Promise<Shown> => {
  const command = `stty cols ${columns}; exec ${[process.execPath, ...program].map(quoted).join(' ')}`;
  const env = { TERM: 'xterm-256color', ...environmentOf(environment) };
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasThere = until !== undefined && screen.includes(until);
    screen += text;
    if (until !== undefined && !wasThere && screen.includes(until)) child.stdin.write('\u0003');
  });
  const [code] = await once(child, 'close');
  return { code, screen: screen.replaceAll('\r\n', '\n') };
};
