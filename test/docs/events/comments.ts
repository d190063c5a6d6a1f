import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const EVENT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\|\s*Readonly<\{\s*type: '(\w+)'/g;

/** Folder of a service where it is not the first part of its categories. */
const FOLDERS: Readonly<Record<string, string>> = { operations: 'ops' };

/**
 * The comment of a branch of a union stands before it, where TypeScript keeps no documentation. By service and type, such as `ops.AccessKeyRevoked`: two
 * services may have events of one name. @param root folder with a folder for each service
 */
export const commentsOnEvents = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .sort()
      .flatMap((name) => {
        const [folder = ''] = name.split(sep);
        return Array.from(readFileSync(join(root, name), 'utf8').matchAll(EVENT), ([, comment = '', type = '']): [string, string] => [
          `${FOLDERS[folder] ?? folder}.${type}`,
          comment.replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
        ]);
      }),
  );
