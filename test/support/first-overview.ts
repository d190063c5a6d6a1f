/** Members of the live overview that tests read. */
type Overview = Readonly<{
  chain: Readonly<{ status: string }>;
  services: Readonly<{ lastUsageAt: string | null; hours: object | null }>;
}>;

/** Data of the first event of `/console/live`. */
export const firstOverview = async (url: string, key: string): Promise<Overview> => {
  const answer = await fetch(`${url}/console/live`, { headers: { 'x-api-key': key } });
  let text = '';
  for await (const part of answer.body ?? []) {
    text += Buffer.from(part).toString('utf8');
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`no overview: ${answer.status} ${text}`);
};
