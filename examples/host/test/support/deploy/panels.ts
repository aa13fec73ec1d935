import { readFile } from 'node:fs/promises'
import path from 'node:path'

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}

/** What the server itself measures; `redis_` and `up` come from others. */
const OWN_METRIC = /\b(?:svc|nodejs|process)_[a-z0-9_]+\b/g

/** Expressions of the panels of the dashboard. @param deploy - where the deployment files are */
export async function panelExpressions(deploy: string): Promise<string[]> {
  const text = await readFile(path.join(deploy, 'grafana/svc.json'), 'utf8')
  const { panels } = JSON.parse(text) as Dashboard // of Grafana
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

/** The server's own metrics that expressions name, each once. */
export function metricsIn(expressions: readonly string[]): string[] {
  return [...new Set(expressions.flatMap((text) => text.match(OWN_METRIC) ?? []))]
}

/** Names of metrics that have a sample in an exposition. */
export function sampledIn(exposition: string): Set<string> {
  return new Set(Array.from(exposition.matchAll(/^([a-z_0-9]+)[{ ]/gm), ([, name = '']) => name))
}
