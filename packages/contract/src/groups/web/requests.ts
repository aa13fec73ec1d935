import type { Check } from '../../model/check.ts'
import { allOf, expectHeader, expectRefused, expectStatus } from '../../model/expect.ts'

/** Rules of what is asked in a way that nobody should. */
export const WEB_REQUESTS: readonly Check[] = [
  {
    id: 'WEB-013',
    title: 'A method that a path does not have is answered by 405 with Allow.',
    level: 'must',
    basis: 'rfc',
    rules: ['RFC 9110 15.5.6 MUST'],
    why: 'The answer says what would be right.',
    remedy: 'Answer 405 and name the methods.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...e
          .all('web.method.')
          .map(
            (one) => () =>
              allOf(expectStatus(one, 405), expectHeader(one, 'allow', /\b(GET|POST)\b/)),
          ),
      ),
  },
  {
    id: 'WEB-014',
    title: 'A path has one spelling.',
    level: 'must',
    basis: 'product',
    rules: ['security.md 2'],
    why: 'What a proxy guards by its path must not be reached by another.',
    remedy: 'Answer 404 for other case, double slashes and slashes at the end.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...['slash', 'double', 'case', 'unknown'].map(
          (name) => () => expectStatus(e.of(`web.path.${name}`), 404),
        ),
      ),
  },
  {
    id: 'WEB-015',
    title: 'Broken and climbing paths are refused.',
    level: 'must',
    basis: 'product',
    rules: ['security.md 2'],
    why: 'They are how files outside are asked for.',
    remedy: 'Answer 400 or 404.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...['encoded', 'broken', 'dots'].map(
          (name) => () => expectStatus(e.of(`web.path.${name}`), 400, 404),
        ),
      ),
  },
  {
    id: 'WEB-016',
    title: 'A parameter that stands twice is refused.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.1'],
    why: 'Two parts of a server may each read another one.',
    remedy: 'Answer 400.',
    needs: ['pages'],
    judge: (e) => expectStatus(e.of('web.twice'), 400),
  },
  {
    id: 'WEB-017',
    title: 'Bytes that are no UTF-8 are refused.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.6'],
    why: 'Each part of a server reads them in another way.',
    remedy: 'Answer 400.',
    needs: ['pages'],
    judge: (e) =>
      allOf(expectStatus(e.of('web.query.broken'), 400), expectRefused(e.of('web.form.broken'))),
  },
  {
    id: 'WEB-018',
    title: 'A host that is nobody here is answered by 404.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 1', 'security.md 2'],
    why: 'Links in mails would otherwise be made for any name that is sent.',
    remedy: 'Answer 404 for hosts that are not known.',
    needs: ['pages'],
    judge: (e) => expectStatus(e.of('web.host'), 404, 421),
  },
  {
    id: 'WEB-019',
    title: 'A body that is too large is answered by 413.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.1', 'oauth.md 2.1'],
    why: 'Strangers must not fill the memory.',
    remedy: 'Stop reading, and answer 413.',
    needs: ['pages'],
    judge: (e) =>
      allOf(expectStatus(e.of('web.large.form'), 413), expectStatus(e.of('web.large.json'), 413)),
  },
  {
    id: 'WEB-020',
    title: 'JSON that is no object is refused.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.1'],
    why: 'Members are read from it next.',
    remedy: 'Answer 400.',
    needs: ['pages'],
    judge: (e) =>
      allOf(
        ...['null', 'list', 'deep', 'proto'].map(
          (name) => () => expectStatus(e.of(`web.json.${name}`), 400, 413),
        ),
      ),
  },
  {
    id: 'WEB-021',
    title: 'A media type that is not expected is answered by 415.',
    level: 'must',
    basis: 'product',
    rules: ['login.md 4.1'],
    why: 'Pages elsewhere can post text without a preflight.',
    remedy: 'Answer 415.',
    needs: ['pages'],
    judge: (e) => expectStatus(e.of('web.type'), 415),
  },
]
