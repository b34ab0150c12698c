import type { Json } from './json';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, ECMAScript number format. Equal values
 * have equal text on every node, so its hash identifies the value. `undefined` members are omitted.
 *
 * @throws TypeError for a number that is not finite
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot hold ${value}`);
      return JSON.stringify(value);
    case 'boolean':
    case 'string':
      return JSON.stringify(value);
    default:
      return isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalObject(value);
  }
}

function isArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function canonicalObject(value: { readonly [key: string]: Json | undefined }): string {
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
