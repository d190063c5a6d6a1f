import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** `nullable` belongs to OpenAPI 3.0; from 3.1 on `null` is a type like others. Examples stay unchanged. */
const converted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(converted);
  if (!isNode(value)) return value;
  const { nullable, ...rest } = value;
  const members = Object.entries(rest).map(([name, member]) => [name, name === 'example' ? member : converted(member)] as const);
  const node: Node = Object.fromEntries(members);
  if (nullable !== true) return nullable === undefined || nullable === false ? node : { nullable, ...node };
  if (typeof node.type === 'string') return { ...node, type: [node.type, 'null'] };
  return node.$ref === undefined ? node : { anyOf: [node, { type: 'null' }] };
};

/** Converts a document from OpenAPI 3.0 to 3.1. */
export const asVersion31 = (document: OpenAPIObject): OpenAPIObject => converted(document) as OpenAPIObject;
