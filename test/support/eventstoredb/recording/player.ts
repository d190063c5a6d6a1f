import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type ChannelCredentials, Client, type ClientDuplexStream, Metadata, type StatusObject } from '@grpc/grpc-js';
import type { Conversation } from './conversation.js';
import { describeMessage } from './describe.js';
import type { Message } from './requests.js';

type Response = { toObject(): object };

/** One open call; responses are described as they arrive. */
export class PlayedCall {
  readonly responses: unknown[] = [];
  headers: Record<string, string> = {};
  private status: StatusObject | undefined;
  /** The status may be known before a paused reader has got everything. */
  private readToEnd = false;
  private changed = () => {};

  constructor(private readonly call: ClientDuplexStream<Message, Response>) {
    call.on('data', (message: Response) => {
      this.responses.push(describeMessage(message));
      this.changed();
    });
    call.on('metadata', (metadata: Metadata) => {
      this.headers = texts(metadata);
    });
    call.on('status', (status: StatusObject) => {
      this.status = status;
      this.changed();
    });
    call.on('end', () => {
      this.readToEnd = true;
      this.changed();
    });
    // The status says it all.
    call.on('error', () => {});
  }

  get ended(): boolean {
    return this.status !== undefined && this.readToEnd;
  }

  send(message: Message): void {
    this.call.write(message);
  }

  halfClose(): void {
    this.call.end();
  }

  cancel(): void {
    this.call.cancel();
  }

  stopReading(): void {
    this.call.pause();
  }

  readAgain(): void {
    this.call.resume();
  }

  /** Resolves when so many responses are there, or the call has ended. */
  async responsesArrived(count: number): Promise<void> {
    await this.until(() => this.responses.length >= count || this.ended);
  }

  /** Status and trailers as the recording shows them. */
  async outcome(): Promise<Pick<Conversation, 'status' | 'trailers'>> {
    await this.until(() => this.ended);
    const { code = -1, details = '', metadata } = this.status ?? {};
    return { status: { code, details }, trailers: metadata ? texts(metadata) : {} };
  }

  private async until(done: () => boolean): Promise<void> {
    while (!done()) {
      await new Promise<void>((resolve) => {
        this.changed = resolve;
      });
    }
  }
}

/** The date is left out, as in the recording. */
const texts = (metadata: Metadata): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata.getMap())
      .filter(([name]) => name !== 'date')
      .map(([name, value]) => [name, String(value)]),
  );

const methods: readonly Readonly<{ path: string; responseDeserialize(bytes: Buffer): Response }>[] = [
  ...Object.values(streams.StreamsService),
  ...Object.values(features.ServerFeaturesService),
];

/** Speaks gRPC to a server with the generated classes; every rpc is played as a stream in both directions, which is the same on the wire. */
export class Player {
  private readonly client: Client;

  constructor(address: string, credentials: ChannelCredentials) {
    this.client = new Client(address, credentials);
  }

  call(rpc: string, headers: Readonly<Record<string, string>> = {}): PlayedCall {
    const method = methods.find(({ path }) => path === rpc);
    if (!method) throw new Error(`no rpc ${rpc}`);
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const serialize = (message: Message) => Buffer.from(message.serializeBinary());
    return new PlayedCall(this.client.makeBidiStreamRequest(rpc, serialize, method.responseDeserialize, metadata));
  }

  /** A whole call on the same connection: it overtakes nothing that is on its way. */
  async roundTrip(): Promise<void> {
    const call = this.call(features.ServerFeaturesService.getSupportedMethods.path);
    call.send(new shared.Empty());
    call.halfClose();
    await call.outcome();
  }

  close(): void {
    this.client.close();
  }
}
