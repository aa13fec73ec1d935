import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import * as exported from '../../src/index.ts'
import { OWN_VERSION } from '../../src/protocol/versions.ts'

describe('@svc/mcp', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).toSorted()).to.deep.equal([
      'DEFAULT_LIMITS',
      'ERRORS',
      'MCP_LOG_EVENTS',
      'McpError',
      'ToolError',
      'createMcp',
    ])
  })

  it('introduces itself with its own version', () => {
    const file = new URL('../../package.json', import.meta.url)
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
    expect(OWN_VERSION).to.equal(manifest.version)
  })
})
