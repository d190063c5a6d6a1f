import { readFileSync } from 'node:fs';
import type { PublicKey } from '#domain/integrity/proof.js';
import { WrongUsage } from './command-failed.js';

/** @throws WrongUsage the file cannot be read, or is not JSON */
export const jsonFile = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new WrongUsage(`error: ${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The keys of a JWK set. @throws WrongUsage */
export const keysIn = (file: string): readonly PublicKey[] => {
  const set = jsonFile(file);
  if (!isObject(set) || !Array.isArray(set.keys)) throw new WrongUsage(`error: ${file} is no JWK set`);
  return set.keys.filter(isObject).map(({ kid, x }) => ({ kid: String(kid), x: String(x) }));
};
