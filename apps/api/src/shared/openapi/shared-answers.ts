import { STATUS_CODES } from 'node:http';
import type { DescribedAnswer } from './described.js';

/** `MessagingNotFound` */
const nameOf = (service: string, status: string): string => service + (STATUS_CODES[status] ?? status).replace(/[^A-Za-z]/g, '');

/** Answers that many operations of a service give, under `components.responses`. */
export class SharedAnswers {
  /** By name. */
  readonly components: Record<string, object> = {};
  private readonly known = new Map<string, DescribedAnswer>();

  /** Refers to an answer, which is described once. @throws the service has another shared answer with this status */
  refer(service: string, status: string, answer: DescribedAnswer, describe: () => object): object {
    const name = nameOf(service, status);
    const known = this.known.get(name);
    if (known && known !== answer) throw new Error(`two shared answers have the name ${name}`);
    if (!known) {
      this.known.set(name, answer);
      this.components[name] = describe();
    }
    return { $ref: `#/components/responses/${name}` };
  }
}
