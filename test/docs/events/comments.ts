import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EVENT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\|\s*Readonly<\{\s*type: '(\w+)'/g;

/** The comment of a branch of a union stands before it, where TypeScript keeps no documentation. By type of event. */
export const commentsOnEvents = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .sort()
      .flatMap((name) =>
        Array.from(readFileSync(join(root, name), 'utf8').matchAll(EVENT), ([, comment = '', type = '']): [string, string] => [
          type,
          comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
        ]),
      ),
  );
