# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python part of `commtap plan`: what runs the ranks of a plan, and what a rank's process does differently.

No process of a real job imports any of this.
"""
