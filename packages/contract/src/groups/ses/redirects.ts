import type { Check } from '../../model/check.ts'
import { allOf, expectNoHeader, expectPage } from '../../model/expect.ts'
import { hostileTargets } from './targets.ts'

const WORDS: Readonly<Record<string, string>> = {
  other: 'another site',
  slashes: 'a name behind two slashes',
  backslash: 'a name behind backslashes',
  mixed: 'a name behind slash and backslash',
  user: 'the own name as a user',
  suffix: 'the own name before another',
  prefix: 'a name that ends with the own one',
  deep: 'two labels below the own name',
  script: 'script',
  data: 'data',
  space: 'a name behind a space',
  line: 'a line that ends',
  path: 'a path',
  ftp: 'another protocol',
}

/** Rules of where a login leads. */
export const SES_REDIRECTS: readonly Check[] = [
  ...hostileTargets('host.example').map(
    ([name], at): Check => ({
      id: `SES-${String(at + 24).padStart(3, '0')}`,
      title: `A login does not lead to ${WORDS[name] ?? name}.`,
      level: 'must',
      basis: 'seed',
      rules: ['seed, GET /auth/login', 'login.md 4.6'],
      why: 'A page that looks like the own one would ask for the passphrase again.',
      remedy: 'Answer 400 before anything else is looked at.',
      needs: ['pages'],
      judge: (e) =>
        allOf(
          expectPage(e.of(`ses.hostile.form.${name}`), 400),
          expectPage(e.of(`ses.hostile.owner.${name}`), 400),
        ),
    }),
  ),
  {
    id: 'SES-038',
    title: 'The target of the posted form is checked again.',
    level: 'must',
    basis: 'seed',
    rules: ['seed, POST /auth/login', 'login.md 4.6'],
    why: 'Whoever posts may write anything into the fields.',
    remedy: 'Answer 400 before the passphrase is looked at.',
    needs: ['pages', 'apps'],
    judge: (e) =>
      allOf(
        expectPage(e.of('ses.hostile.post'), 400),
        expectNoHeader(e.of('ses.hostile.post'), 'location'),
      ),
  },
]
