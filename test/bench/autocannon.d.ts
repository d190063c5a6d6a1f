/** The part of autocannon 9 that the bench uses; the package brings no types. */
declare module 'autocannon' {
  type Request = {
    method: 'GET' | 'PUT' | 'POST';
    path: string;
    headers?: Record<string, string>;
    body?: string;
    /** Called before each request; what it returns is sent. */
    setupRequest?: (request: Request) => Request;
    onResponse?: (status: number, body: string, context: object, headers: Record<string, string>) => void;
  };
  type Client = {
    setRequests(requests: Request[]): void;
    /** @param milliseconds from the request to its whole answer */
    on(event: 'response', listener: (status: number, bytes: number, milliseconds: number) => void): void;
  };
  type Options = {
    url: string;
    connections: number;
    pipelining: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds; the end of a run is rounded up to it. */
    sampleInt: number;
    /** Called once for each connection. */
    setupClient: (client: Client) => void;
  };
  type Result = {
    errors: number;
    non2xx: number;
    '2xx': number;
  };
  export default function autocannon(options: Options): PromiseLike<Result>;
}
