import type { Basis, Check } from '../../model/check.ts'
import { allOf, expectHeader, expectMember, expectStatus } from '../../model/expect.ts'

interface Refusal {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly status: number
  readonly rule: string
  readonly basis?: Basis
}

const ATTRIBUTES = 'notifications.md 3.1'

const REFUSALS: readonly Refusal[] = [
  {
    id: 'NOT-020',
    label: 'bad.category',
    title: 'A category that was not declared is refused.',
    status: 403,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-021',
    label: 'bad.none',
    title: 'A notification without a category is refused.',
    status: 403,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-022',
    label: 'bad.title',
    title: 'A blank title is refused.',
    status: 400,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-023',
    label: 'bad.priority',
    title: 'A priority other than high and normal is refused.',
    status: 422,
    rule: 'seed, POST /notifications',
    basis: 'seed',
  },
  {
    id: 'NOT-024',
    label: 'bad.channel',
    title: 'A channel that is no text is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-025',
    label: 'bad.data',
    title: 'Data that is no map is refused.',
    status: 422,
    rule: 'seed, POST /notifications',
    basis: 'seed',
  },
  {
    id: 'NOT-026',
    label: 'bad.state',
    title: 'A stateful category without a state is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-027',
    label: 'bad.id',
    title: 'A category_id is refused where the category has no kinds.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-028',
    label: 'bad.at',
    title: 'A time that cannot be read is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-029',
    label: 'bad.at.past',
    title: 'A time that is long over is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-030',
    label: 'bad.at.far',
    title: 'A time in more than a year is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-031',
    label: 'bad.long',
    title: 'A title of more than 512 characters is refused.',
    status: 422,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-032',
    label: 'media',
    title: 'Another media type is refused.',
    status: 415,
    rule: ATTRIBUTES,
  },
  {
    id: 'NOT-033',
    label: 'broken',
    title: 'Broken JSON is refused.',
    status: 400,
    rule: 'notifications.md 3.5',
  },
  {
    id: 'NOT-034',
    label: 'nothing',
    title: 'A body without data is refused.',
    status: 400,
    rule: 'notifications.md 3.5',
  },
  {
    id: 'NOT-035',
    label: 'large',
    title: 'A body that is too large is refused.',
    status: 413,
    rule: ATTRIBUTES,
  },
]

/** Rules of notifications that are refused. */
export const NOT_REFUSALS: readonly Check[] = [
  ...REFUSALS.map(
    ({ id, label, title, status, rule, basis = 'product' }): Check => ({
      id,
      title,
      level: 'must',
      basis,
      rules: [rule],
      why: 'The app has a fault that its author should see, and the owner should not.',
      remedy: `Answer ${status} with a list of errors, and keep nothing.`,
      needs: ['notifications'],
      judge: (e) =>
        allOf(
          expectStatus(e.of(`not.${label}`), status),
          expectMember(e.of(`not.${label}`), 'errors'),
        ),
    }),
  ),
  {
    id: 'NOT-036',
    title: 'Without a token nobody tells the owner anything.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /notifications', 'RFC 6750 3 MUST'],
    why: 'It would be a way to reach owners for everybody.',
    remedy: 'Answer 401 with a challenge.',
    needs: ['notifications'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('not.nobody'), 401),
        expectHeader(e.of('not.nobody'), 'www-authenticate', /^Bearer\b/),
      ),
  },
  {
    id: 'NOT-037',
    title: 'A token that is no good is refused with invalid_token.',
    level: 'must',
    basis: 'clients',
    rules: ['clients 20', 'RFC 6750 3.1'],
    why: 'Published clients refresh by this challenge.',
    remedy: 'Answer 401 with error="invalid_token".',
    needs: ['notifications'],
    judge: (e) =>
      allOf(
        expectStatus(e.of('not.token'), 401),
        expectHeader(e.of('not.token'), 'www-authenticate', /error="invalid_token"/),
      ),
  },
  {
    id: 'NOT-038',
    title: 'A client that was not allowed to notify is refused.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 2'],
    why: 'The owner allowed something else.',
    remedy: 'Answer 403.',
    needs: ['notifications'],
    judge: (e) => expectStatus(e.of('not.scope'), 403),
  },
  {
    id: 'NOT-039',
    title: 'Another method is answered by 405.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 3.5', 'RFC 9110 15.5.6 MUST'],
    why: 'The answer says what would be right.',
    remedy: 'Answer 405 with Allow.',
    needs: ['notifications'],
    judge: (e) =>
      allOf(expectStatus(e.of('not.put'), 405), expectHeader(e.of('not.put'), 'allow', /\bPOST\b/)),
  },
  {
    id: 'NOT-040',
    title: 'A notification that is not there is answered by 404.',
    level: 'must',
    basis: 'product',
    rules: ['notifications.md 15'],
    why: 'The answer is the same as for that of another client.',
    remedy: 'Answer 404.',
    needs: ['notifications'],
    judge: (e) => expectStatus(e.of('not.read.unknown'), 404),
  },
]
