export { bytes, count, counted, duration, figure } from '#domain/shared/text/figures.js';
