import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLOURS = 128;
/** Distance of colours that are not kept beside each other, so that those of small marks are. */
const ALIKE = 100;

type Image = Readonly<{ width: number; height: number; bytes: number; pixels: Buffer }>;

function* chunksOf(png: Buffer): Generator<Readonly<{ type: string; data: Buffer }>> {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
};

const guesses: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

/** A row of pixels, of its bytes as they were filtered and the row above. */
const unfiltered = (row: Buffer, above: Buffer, bytes: number): Buffer => {
  const guess = guesses[row[0] ?? 0] ?? paeth;
  const pixels = Buffer.alloc(row.length - 1);
  for (let at = 0; at < pixels.length; at += 1) {
    const [left, corner] = at < bytes ? [0, 0] : [pixels[at - bytes] ?? 0, above[at - bytes] ?? 0];
    pixels[at] = (row[at + 1] ?? 0) + guess(left, above[at] ?? 0, corner);
  }
  return pixels;
};

/** Eight bits a channel, not interlaced, as browsers write them. */
const decode = (png: Buffer): Image => {
  const chunks = [...chunksOf(png)];
  const header = chunks[0]?.data ?? Buffer.alloc(13);
  const [width, height, bytes] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3];
  const filtered = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const stride = width * bytes + 1;
  const rows: Buffer[] = [];
  for (let row = 0; row < height; row += 1)
    rows.push(unfiltered(filtered.subarray(row * stride, (row + 1) * stride), rows.at(-1) ?? Buffer.alloc(stride - 1), bytes));
  return { width, height, bytes, pixels: Buffer.concat(rows) };
};

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

/** The colours that are most of the picture, none of them like another; the others become the nearest of them. */
const indexed = ({ width, height, bytes, pixels }: Image) => {
  const colours = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at += 1) {
    const colour = pixels.readUIntBE(at * bytes, 3);
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const kept: number[] = [];
  for (const colour of palette) if (kept.length < COLOURS && kept.every((other) => distance(colour, other) > ALIKE)) kept.push(colour);
  const places = new Map(kept.map((colour, place) => [colour, place]));
  for (const colour of palette.filter((one) => !places.has(one))) {
    const nearest = kept.reduce((best, one, place) => (distance(one, colour) < distance(kept[best] ?? 0, colour) ? place : best), 0);
    places.set(colour, nearest);
  }
  return { kept, places: Buffer.from(Array.from(colours, (colour) => places.get(colour) ?? 0)) };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};

/** A picture of a page with at most 128 colours: a quarter of the bytes, and the same to the eye. */
export const smallPng = (png: Buffer): Buffer => {
  const image = decode(png);
  const { kept, places } = indexed(image);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([8, 3, 0, 0, 0], 8); // eight bits, of a palette
  const rows = Buffer.alloc((image.width + 1) * image.height);
  for (let row = 0; row < image.height; row += 1)
    places.copy(rows, row * (image.width + 1) + 1, row * image.width, (row + 1) * image.width);
  const palette = Buffer.from(kept.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};
