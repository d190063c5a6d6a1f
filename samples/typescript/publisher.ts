/**
 * Publishes each line of standard input as a message and prints the ids: `node publisher.ts <project> <topic> [<attribute>=<value> …] < lines.txt`.
 * Environment: LOGBOOK_URL, MESSAGING_KEY (a token with the role publisher that is in the ACL of the topic).
 */
import { randomUUID } from 'node:crypto';
import { call } from './logbook.ts';

const LINES_PER_CALL = 500;

const { MESSAGING_KEY = '' } = process.env;
const [project, topic, ...pairs] = process.argv.slice(2);
if (!project || !topic) {
  console.error('usage: publisher.ts <project> <topic> [<attribute>=<value> …]');
  process.exit(1);
}
const attributes = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s)));

/** All messages of a call are stored, or none; repeated with its key it stores them once. */
const publish = async (lines: readonly Buffer[]): Promise<void> => {
  const messages = lines.map((line) => ({ data: line.toString('base64'), attributes }));
  const { messageIds } = await call<{ messageIds: readonly string[] }>(`/v1/projects/${project}/topics/${topic}:publish`, {
    headers: { 'x-api-key': MESSAGING_KEY },
    body: { messages },
    idempotencyKey: randomUUID(),
  });
  for (const id of messageIds) console.log(id);
};

/** The lines of standard input, which end with a line feed and nothing else: as latin1, in which every byte is a character, and none is lost. */
const linesOfInput = async function* (): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of process.stdin.setEncoding('latin1')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
};

/** The lines, so many at a time; empty ones are left out, because a message without data and attributes is refused. */
const partsOfInput = async function* (): AsyncGenerator<readonly Buffer[]> {
  let lines: Buffer[] = [];
  for await (const line of linesOfInput()) {
    const data = Buffer.from(line.endsWith('\r') ? line.slice(0, -1) : line, 'latin1');
    if (data.length > 0) lines.push(data);
    if (lines.length < LINES_PER_CALL) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
};

for await (const lines of partsOfInput()) await publish(lines);
