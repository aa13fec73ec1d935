import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { ALERT_CASES, type AlertCase } from '../support/deploy/alert-series.ts'
import { metricsIn, panelExpressions } from '../support/deploy/panels.ts'
import { needsProgram, runProgram } from '../support/deploy/programs.ts'
import { DEPLOY } from '../support/deploy/proxies.ts'
import { suiteFolder, testHost } from '../support/for-test.ts'

const FOLDER = path.join(DEPLOY, 'prometheus')
const RUNBOOK = new URL('../../../../docs/runbook.md', import.meta.url)

describe('the files for Prometheus and Grafana (operation.md 7.2, 7.6)', function () {
  this.timeout(30_000)
  const folder = suiteFolder()

  before(async function () {
    needsProgram(this, 'promtool')
  })

  const read = (name: string): Promise<string> => readFile(path.join(DEPLOY, name), 'utf8')

  async function alertNames(): Promise<string[]> {
    const text = await read('prometheus/alerts.yml')
    return Array.from(text.matchAll(/^ +- alert: (\S+)$/gm), ([, name = '']) => name)
  }

  it('are ones that promtool takes', async () => {
    const rules = ['rules.yml', 'alerts.yml'].map((name) => path.join(FOLDER, name))
    const checked = await runProgram('promtool', ['check', 'rules', ...rules])
    expect(checked.code, checked.said).to.equal(0)
    const scrape = path.join(FOLDER, 'scrape.yml')
    const config = await runProgram('promtool', ['check', 'config', scrape])
    expect(config.code, config.said).to.equal(0)
  })

  it('have alerts that fire, and that are silent, on series made for each', async () => {
    expect(ALERT_CASES.map(({ alert }) => alert)).to.have.members(await alertNames())
    // Those that take a day are looked at every ten minutes: it says the same, and is quicker.
    const slow = ALERT_CASES.filter(({ at }) => Number.parseInt(at, 10) > 120)
    const quick = ALERT_CASES.filter((each) => !slow.includes(each))
    for (const [interval, cases] of [
      ['1m', quick],
      ['10m', slow],
    ] as const) {
      const file = path.join(folder, `tests-${interval}.yml`)
      // YAML takes JSON as it is.
      await writeFile(file, JSON.stringify(ruleTests(cases, interval)))
      const tested = await runProgram('promtool', ['test', 'rules', file])
      expect(tested.code, tested.said).to.equal(0)
    }
  })

  it('lead from each alert to a section of the runbook, which every section is read from', async () => {
    const text = await read('prometheus/alerts.yml')
    const led = Array.from(
      text.matchAll(/runbook_url: \S+\/docs\/runbook\.md#(\S+)$/gm),
      ([, anchor = '']) => anchor,
    )
    expect(led).to.have.lengthOf((await alertNames()).length)
    const headings = Array.from(
      (await readFile(RUNBOOK, 'utf8')).matchAll(/^## (.+)$/gm),
      ([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'),
    )
    expect(new Set(led)).to.deep.equal(new Set(headings))
  })

  it('have panels whose expressions promtool parses', async () => {
    const file = path.join(folder, 'panels.yml')
    const rules = (await panelExpressions(DEPLOY)).map((expr, at) => ({
      record: `panel_${at}`,
      // What Grafana puts in.
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'svc'),
    }))
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    const checked = await runProgram('promtool', ['check', 'rules', file])
    expect(checked.code, checked.said).to.equal(0)
  })

  it('name only what a running host measures', async () => {
    const texts = await Promise.all(
      ['rules.yml', 'alerts.yml'].map((name) => read(`prometheus/${name}`)),
    )
    const expressions = [...(await panelExpressions(DEPLOY)), ...texts]
    const host = await testHost()
    const metrics = await (await host.admin('GET', '/metrics')).text()
    const known = new Set(
      Array.from(metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)).flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    )
    expect(metricsIn(expressions).filter((name) => !known.has(name))).to.deep.equal([])
  })

  function ruleTests(cases: readonly AlertCase[], interval: string): object {
    const test = ({ alert, at }: AlertCase, input: AlertCase['fires'], fires: boolean): object => ({
      name: `${alert} ${fires ? 'fires' : 'is silent'}`,
      interval: '1m',
      input_series: input,
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
          eval_time: at,
          exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }],
        },
      ],
    })
    return {
      rule_files: ['rules.yml', 'alerts.yml'].map((name) => path.join(FOLDER, name)),
      evaluation_interval: interval,
      // Without it promtool takes the groups in any order, and an alert may see the rates of the step before.
      group_eval_order: ['svc-rates', 'svc-alerts'],
      tests: cases.flatMap((each) => [
        test(each, each.fires, true),
        test(each, each.silent, false),
      ]),
    }
  }
})
