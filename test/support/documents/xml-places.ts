const TAG = /<(\/?)([\w.:-]+)((?:\s+[\w.:-]+="[^"<]*")*)\s*>/g;
const ATTRIBUTE = /([\w.:-]+)="/g;

/** The elements and attributes of a text, by where they stand: `root/group` and `root/group@name`. @throws a tag is not closed, or closes another element */
export const placesIn = (xml: string): ReadonlySet<string> => {
  const places = new Set<string>();
  const open: string[] = [];
  for (const [tag, closing, name = '', attributes = ''] of xml.matchAll(TAG)) {
    if (closing) {
      if (open.pop() !== name) throw new Error(`${tag} closes another element: ${xml.slice(0, 300)}`);
      continue;
    }
    open.push(name);
    const place = open.join('/');
    places.add(place);
    for (const [, attribute] of attributes.matchAll(ATTRIBUTE)) places.add(`${place}@${attribute}`);
  }
  if (places.size === 0 || open.length > 0) throw new Error(`not closed: <${open.join('><')}> in ${xml.slice(0, 300)}`);
  return places;
};
