/**
 * Prints the messages of a subscription as they come, one line each, until SIGINT or SIGTERM: `node subscriber.ts <project> <subscription>`.
 * Environment: LOGBOOK_URL, MESSAGING_KEY (a token with the role consumer that is in the ACL of the subscription).
 *
 * Serves both kinds of subscriptions. Where messages are acknowledged one by one (ackMode message), start as many of these as are needed to keep up:
 * they share the messages. With a cursor, start one. Either way a message may come twice: after a crash, or when its handling takes too long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CallFailed, call } from './logbook.ts';

type Received = Readonly<{
  ackId: string;
  /** How often the message was delivered, from 1. Only where messages are acknowledged one by one. */
  deliveryAttempt?: number;
  message: Readonly<{ messageId: string; data: string; attributes?: Readonly<Record<string, string>>; publishTime: string }>;
}>;

const { MESSAGING_KEY = '' } = process.env;
const [project, subscription] = process.argv.slice(2);
if (!project || !subscription) {
  console.error('usage: subscriber.ts <project> <subscription>');
  process.exit(1);
}
const path = `/v1/projects/${project}/subscriptions/${subscription}`;
const headers = { 'x-api-key': MESSAGING_KEY };
/** No more than can be handled within the ackDeadlineSeconds of the subscription. */
const BATCH = 100;
const text = new TextDecoder('utf-8', { fatal: true });

/** The work. What it throws gives the message back. */
const handle = ({ messageId, data }: Received['message']): void => {
  console.log(`${messageId} ${text.decode(Buffer.from(data, 'base64'))}`);
};

/**
 * Acknowledges, or gives back. Has no Idempotency-Key: a repeat does no harm, and keys of so many calls would stay in the log. A refusal is no end: the
 * messages are acknowledged already, or were due before, and come again.
 */
const settle = async (verb: string, ackIds: readonly string[], more: object = {}): Promise<void> => {
  if (ackIds.length === 0) return;
  try {
    await call(`${path}:${verb}`, { headers, body: { ackIds, ...more } });
  } catch (error) {
    if (!(error instanceof CallFailed && (error.status === 408 || error.status === 409))) throw error;
    console.error(`${verb}: ${error.message}`);
  }
};

/** Handles messages in order. With a cursor the first that fails ends the batch: it comes again with those behind it, after a second. */
const workOff = async (received: readonly Received[]): Promise<void> => {
  const done: string[] = [];
  const failed: string[] = [];
  let pause = 0;
  for (const { ackId, deliveryAttempt, message } of received) {
    try {
      handle(message);
      done.push(ackId);
    } catch (error) {
      console.error(`${message.messageId} failed: ${error}`);
      if (deliveryAttempt === undefined) {
        pause = 1000;
        break;
      }
      failed.push(ackId);
    }
  }
  await settle('acknowledge', done);
  await settle('modifyAckDeadline', failed, { ackDeadlineSeconds: 0 });
  await sleep(pause);
};

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const ask = async (maxMessages: number, returnImmediately: boolean): Promise<readonly Received[]> => {
  const body = { maxMessages: `${maxMessages}`, returnImmediately: `${returnImmediately}` };
  const answer = await call<{ receivedMessages: readonly Received[] }>(`${path}:pull`, { headers, body, signal: ending.signal });
  return answer.receivedMessages;
};

/** What is there; otherwise the next message, for up to half a minute. A pull that waits for more than one goes on for 3 s to gather them. */
const pull = async (): Promise<readonly Received[]> => {
  try {
    const received = await ask(BATCH, true);
    return received.length > 0 ? received : await ask(1, false);
  } catch (error) {
    if (ending.signal.aborted) return [];
    throw error;
  }
};

while (!ending.signal.aborted) await workOff(await pull());
