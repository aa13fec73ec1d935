import { expect } from 'chai'
import * as authUi from '../../src/index.ts'

describe('@svc/auth-ui', () => {
  it('exports these names', () => {
    expect(Object.keys(authUi).sort()).to.deep.equal([
      'AUTH_UI_LOG_EVENTS',
      'AUTH_UI_RECORDS',
      'AuthUiError',
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
      'KIT_PATH',
      'MODEL_NUMBERS',
      'OwnerImportError',
      'appFolders',
      'createAuthUi',
      'deriveLoginValue',
      'inNamespace',
      'serveAppFolder',
    ])
  })
})
