import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './describe.js';

/** `ReportsController_list` reads `listReports`, whichever of its paths it is. */
const speaking = (id: string): string => {
  const [controller = '', method = ''] = id.replace(/\[\d+\]$/, '').split('_');
  const about = controller.replace(/Controller$/, '');
  return about.toLowerCase() === method.toLowerCase() ? method : method + about;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const SERVICES: Readonly<Record<string, string>> = { v1: 'messaging', 'accounting-system': 'accounting' };

/** A segment of a path in words: `{id}` is `ById`, `metric-definitions` is `MetricDefinitions`. */
const inWords = (segment: string): string => {
  const words = (SERVICES[segment] ?? segment).match(/[A-Za-z0-9]+/g) ?? [];
  return (segment.startsWith('{') ? 'By' : '') + words.map(capital).join('');
};

type Named = Readonly<{ path: string; operation: Operation }>;

/** The words of a path that not all of these share. */
const telling = (path: string, all: readonly Named[]): string => {
  const segments = path.split('/');
  const isShared = (segment: string) => all.every((other) => other.path.split('/').includes(segment));
  return segments
    .filter((segment) => !isShared(segment))
    .map(inWords)
    .join('');
};

/** Gives every operation an id that is unique and a good name for a method of a client. */
export const nameOperations = (document: OpenAPIObject): OpenAPIObject => {
  const byId = new Map<string, Named[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const id = speaking(operation.operationId ?? '');
      byId.set(id, [...(byId.get(id) ?? []), { path, operation }]);
    }
  const taken = new Map<string, number>();
  for (const [id, all] of byId)
    for (const { path, operation } of all) {
      const name = all.length === 1 ? id : id + telling(path, all);
      const uses = (taken.get(name) ?? 0) + 1;
      taken.set(name, uses);
      operation.operationId = uses === 1 ? name : `${name}${uses}`;
    }
  return document;
};
