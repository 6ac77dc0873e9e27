"""What jupyter_client starts in the place of a kernel's own process."""

import os

from forked_kernels import Copy
from jupyter_client.provisioning.local_provisioner import LocalProvisioner


class Copied(LocalProvisioner):
    async def launch_kernel(self, cmd, **kwargs):
        self.cwd = str(kwargs.get("cwd") or os.getcwd())
        self.process = Copy(cmd[cmd.index("-f") :], kwargs.get("env") or dict(os.environ), self.cwd)
        self.pid = self.process.pid
        return self.connection_info
