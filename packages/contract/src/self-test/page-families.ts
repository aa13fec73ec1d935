import { type Family, literally, type Mutation } from './mutation.ts'
import { objectOf } from './object-of.ts'

export const bodies: Family = ({ label, answer }) => {
  const to = (name: string, body: string, reason: RegExp): Mutation => ({
    name,
    family: 'body',
    at: label,
    reason,
    answer: { ...answer, body },
  })
  return [
    to('empty body', '', /body|text|form|missing|no |is not|name|there/),
    to('another body', 'changed', /body|text|form|missing|no |is not|name|there/),
    to('a stack', `${answer.body}\n    at open (/srv/src/main.ts:1:1)`, /shows code/),
    to('markup', `${answer.body}<script>alert(1)</script><img src="x">`, /markup|beside/),
    ...[...answer.body.matchAll(/<input[^>]*name="([^"]+)"[^>]*>/g)].map(([field, name = '']) =>
      to(
        `page without ${name}`,
        answer.body.replace(field, ''),
        new RegExp(`${literally(name)}|field|form`),
      ),
    ),
    ...[...new Set(answer.body.match(/data-(?:salt|iterations|svc-token)/g) ?? [])].map((name) =>
      to(
        `page without ${name}`,
        answer.body.replaceAll(name, 'data-gone'),
        new RegExp(`${name}|token`),
      ),
    ),
  ]
}

export const frames: Family = ({ label, answer }) => {
  const value = objectOf(answer)
  const list = value?.['frames']
  if (value === undefined || !Array.isArray(list)) return []
  const to = (name: string, changed: object, reason: RegExp): Mutation => ({
    name,
    family: name,
    at: label,
    reason,
    answer: { ...answer, body: JSON.stringify({ ...value, ...changed }) },
  })
  return [
    to('events withheld', { frames: [] }, /no event|no error|status|doc|there is no/),
    to('events doubled', { frames: [...list, ...list] }, /events came/),
    to(
      'an event of AUTH',
      { frames: [{ data: { event: 'error', payload: { source: { method: 'AUTH' } } } }, ...list] },
      /AUTH/,
    ),
    to('the connection closed', { close: { code: 1000, reason: '', ms: 1 } }, /clos/),
    to('the connection left open', { close: undefined }, /open|close/),
    to(
      'errors without their members',
      { frames: list.map(() => ({ data: { event: 'error', payload: {} } })) },
      /error|status/,
    ),
  ]
}
