import { describe, expect, it } from '@jest/globals';
import { mayCall } from './access.js';
import { negotiate } from './answers/accept.js';
import * as errors from './errors.js';
import { StatusHttpPolicy } from './http-policy.js';
import { READERS, SUPER, WRITERS } from './route.js';

describe('Accept', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['application/json', 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/xml', 'xml'],
    ['application/json; charset=utf-8', 'json'],
    ['application/xml;charset=UTF-8', 'xml'],
    ['text/html, application/xml;q=0.9, */*;q=0.8', 'xml'],
    ['application/xml;q=0.5, application/json;q=0.4', 'xml'],
    ['application/json, text/plain, */*', 'json'],
    ['application/json;q=0, application/xml', 'xml'],
    ['text/html', undefined],
    ['application/json;q=0', undefined],
    ['garbage', undefined],
    ['text/xml', undefined],
  ])('%j means %s', (accept, format) => expect(negotiate(accept)).toBe(format));
});

describe('error bodies', () => {
  it('are JSON with one space per level', () => {
    expect(errors.errorBody(errors.forbidden(), false)).toEqual({
      type: 'application/json; charset=utf-8',
      text: '{\n "status": {\n  "message": "Access to the resource is Forbidden",\n  "code": "403"\n }\n}',
    });
  });

  it('are XML for callers that ask for it', () => {
    const { type, text } = errors.errorBody(errors.conflict(`a "b" <c> & 'd'\u0001`), true);
    expect(type).toBe('application/xml; charset=utf-8');
    expect(text).toBe(
      [
        '<root>',
        ' <status>',
        '  <message>Conflict</message>',
        '  <code>409</code>',
        ' </status>',
        ' <errors>',
        '  <error>',
        '   <message>Conflict</message>',
        '   <code>409</code>',
        '   <details>a &#34;b&#34; &lt;c&gt; &amp; &#39;d&#39;\ufffd</details>',
        '  </error>',
        ' </errors>',
        '</root>',
      ].join('\n'),
    );
    expect(errors.errorBody(errors.unauthorized(), true).text).toContain(
      '<details>You need to provide a correct authentication token using the header &#39;x-api-key&#39;</details>',
    );
  });

  it.each([errors.notAcceptable(), errors.invalidProfile(['x']), errors.internalError()])('of $statusCode are always JSON', (error) =>
    expect(errors.errorBody(error, true).type).toBe('application/json; charset=utf-8'),
  );
});

describe('The roles of a caller', () => {
  it('suffice if one of them may call the route', () => {
    expect(mayCall(WRITERS, ['viewer', 'editor'])).toBe(true);
    expect(mayCall(WRITERS, ['viewer', 'admin_ui'])).toBe(false);
    expect(mayCall(READERS, [])).toBe(false);
    expect(mayCall(SUPER, ['super_admin_ui'])).toBe(false);
  });
});

describe('paths that are not clean', () => {
  const { cleanedPath } = StatusHttpPolicy.prototype;
  it.each([
    ['/api/v2//weights', '/api/v2/weights'],
    ['/api/v2/./weights', '/api/v2/weights'],
    ['/api/v2/reports/../weights', '/api/v2/weights'],
    ['/api/v2/weights/..', '/api/v2'],
    ['/api/v2/weights/.', '/api/v2/weights'],
    ['/api/v2/weights//', '/api/v2/weights/'],
    ['//api/v2/weights', '/api/v2/weights'],
    ['/../api//v2/./weights/', '/api/v2/weights/'],
    ['/..//', '/'],
    ['/api/v2/weights', undefined],
    ['/api/v2/weights/..x', undefined],
    ['/api/v2/weights/', undefined],
    ['/api/v3//results/r', '/api/v3/results/r'],
  ])('%s goes to %s', (path, cleaned) => expect(cleanedPath(path)).toBe(cleaned));
});
