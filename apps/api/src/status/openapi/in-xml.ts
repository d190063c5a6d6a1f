import { type Answers, answer, type ShownText } from '#api/shared/openapi/described.js';
import { type XmlElement, type XmlLayout, xmlOf } from '#api/status/answers/xml.js';
import type { Component } from '#domain/shared/shape.js';

/** A body of XML. */
export const rootOf = (layout: XmlLayout, ...content: readonly XmlElement[]): string => xmlOf({ name: 'root', content }, layout);

/** A group of any level; a service is one too. */
export const groupOf = (attributes: Readonly<Record<string, string>>, content: readonly XmlElement[]): XmlElement => ({
  name: 'group',
  attributes,
  content,
});

/** 200 with JSON, or with XML if the caller prefers it. */
export const showsInXmlToo = (shape: Component, xml: ShownText): Answers => ({
  200: { ...answer(shape, shape.example), also: { 'application/xml': xml } },
});
