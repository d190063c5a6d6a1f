export { byBytes } from '#domain/shared/text-order.js';
