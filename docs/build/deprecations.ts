import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { LOG_EVENTS } from '../../examples/host/src/log/log-events.ts'
import { ROOT } from './document.ts'

/** The line of the log that tells of the use of something deprecated, once a process and name. */
export const DEPRECATED_EVENT = 'deprecated.used'
/** A mark in a comment, what it says, and the name of what it stands above. */
const MARK =
  /@deprecated\b ?([^\n]*?)\s*(?:\*\/|\n[\s\S]*?\*\/)\s*(?:export\s+)?(?:declare\s+)?(?:async\s+)?(?:readonly\s+)?(?:(?:function|const|class|interface|type)\s+)?['"]?([\w$.]+)/g
const FORM = /^Use \S.* instead\. Since \d+\.\d+\.\d+\.$/

/** Marks of deprecation in the sources of the packages that do less than they have to. */
export function deprecationFaults(): string[] {
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')
  return globSync('packages/*/src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    faultsOfMarks(readFileSync(path.join(ROOT, file), 'utf8'), {
      changelog,
      events: Object.keys(LOG_EVENTS),
    }).map((fault) => `${file}: ${fault}`),
  )
}

/**
 * Each mark names its successor and the version that said so, stands in the change log, and has a line in the log that
 * tells operators who still uses it. @see docs/decisions/0672
 */
export function faultsOfMarks(
  text: string,
  known: { readonly changelog: string; readonly events: readonly string[] },
): string[] {
  return [...text.matchAll(MARK)].flatMap(([, said = '', name = '']) => [
    ...(FORM.test(said)
      ? []
      : [`@deprecated of ${name} has to say "Use … instead. Since 1.2.3."; it says "${said}"`]),
    ...(known.changelog.includes(`\`${name}\``)
      ? []
      : [`${name} is deprecated, and CHANGELOG.md does not name it between back quotes`]),
    ...(known.events.includes(DEPRECATED_EVENT)
      ? []
      : [`${name} is deprecated, and no package writes the log event ${DEPRECATED_EVENT}`]),
  ])
}
