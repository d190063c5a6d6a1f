import { existsSync, readFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const PACKAGES = 'node_modules/';

/** A path of a source as seen from the root of the checkout; of a package that lies in another one: as if it lay beside it. */
export const fromRoot = (path: string): string => {
  const packages = path.lastIndexOf(PACKAGES);
  return packages >= 0 ? path.slice(packages) : path.replace(/^(\.\.\/)+/, '');
};

/**
 * Where code that V8 names was written, by the source maps beside the files it runs: `libs/…/file.ts`, `node_modules/<package>/…`, `node:…`; empty for what
 * is not JavaScript.
 */
export class Sources {
  private readonly maps = new Map<string, SourceMap | undefined>();

  of({ url, lineNumber, columnNumber }: Pick<Runtime.CallFrame, 'url' | 'lineNumber' | 'columnNumber'>): string {
    if (!url.startsWith('file:')) return url;
    const path = fileURLToPath(url);
    const entry = this.mapOf(path)?.findEntry(lineNumber, columnNumber);
    return fromRoot(entry && 'originalSource' in entry && entry.originalSource ? entry.originalSource : path);
  }

  private mapOf(path: string): SourceMap | undefined {
    if (!this.maps.has(path)) {
      const file = `${path}.map`;
      this.maps.set(path, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
    }
    return this.maps.get(path);
  }
}
