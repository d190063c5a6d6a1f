export { byBytes } from '#domain/shared/text/text-order.js';
