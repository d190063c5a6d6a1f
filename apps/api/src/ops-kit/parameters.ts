import { parameter } from '#api/shared/http/parameters.js';
import { contextOf } from '#api/shared/http/request-context.js';

/** What surrounds a command of an operator. */
export const OperatorContext = parameter((request) => contextOf(request, 'ops', { kind: 'key', id: request.operator?.keyId ?? '' }));
