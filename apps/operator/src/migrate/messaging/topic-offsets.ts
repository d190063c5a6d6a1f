import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandFailed } from '#operator/command-failed.js';
import { LAST_OFFSET, topicKey } from './directory.js';

/**
 * Next offsets of topics from Kafka, by `topicKey`.
 * @param file lines of JSON `{"project_uuid", "topic", "min", "max"}`: first and next offset
 * @throws CommandFailed it has another content
 */
export const readTopicOffsets = async (file: string): Promise<ReadonlyMap<string, number>> => {
  const next = new Map<string, number>();
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      number += 1;
      if (line.trim() === '') continue;
      const { project_uuid, topic, max } = JSON.parse(line) as Record<string, unknown>;
      const offset = Number.isSafeInteger(max) ? Number(max) : -1;
      if (typeof project_uuid !== 'string' || typeof topic !== 'string' || offset < 0 || offset > LAST_OFFSET) throw new SyntaxError();
      next.set(topicKey(project_uuid, topic), offset);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`);
    throw new CommandFailed(
      `${file}:${number}: a line is {"project_uuid": …, "topic": …, "min": …, "max": …}, with max from 0 to ${LAST_OFFSET}`,
    );
  }
  return next;
};
