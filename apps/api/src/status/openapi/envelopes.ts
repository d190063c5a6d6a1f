import { component, type Shape } from '#api/shared/openapi/shape.js';

const STATUS = component('StatusOfAnswer', { message: 'text', code: 'text' });

/** S-LIST of the status contract 1.6. */
export const listOf = (record: Shape): Shape => ({ status: STATUS, data: [record] });
/** A success about one record. */
export const one = (record: Shape): Shape => ({ status: STATUS, data: record });
/** S-MSG */
export const MESSAGE = component('StatusSuccess', { status: STATUS });
/** S-REF */
export const REFERENCE = component('StatusReference', { status: STATUS, data: { id: 'text', links: { self: 'text' } } });
